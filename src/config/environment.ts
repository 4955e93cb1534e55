/**
 * The environment variables: one property each, with default and validation. `readEnvironment` reads them from text;
 * config.ts makes a `Config` of them.
 */
import 'reflect-metadata';
import { plainToInstance, Transform } from 'class-transformer';
import { IsOptional, ValidateBy, ValidateIf, validateSync } from 'class-validator';
import { PROJECT_ID } from '../shared/identifiers.js';
import { PASSWORD } from '../shared/limits.js';
import { storeAddress, type StoreAddress } from './store-address.js';
import {
  address,
  duration,
  networkList,
  onOff,
  secretList,
  oneOf,
  originList,
  size,
  textMatching,
  textOfLength,
  trustProxy,
  wholeNumber,
  type VariableReader,
} from './variable-reader.js';

/** OTLP over HTTP; gRPC would need another library. */
export const TRACE_PROTOCOLS = ['http/protobuf', 'http/json'] as const;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Marks a value that its reader refused. The original text stays in the input. */
const INVALID = Symbol('refused');

/**
 * All variables, in the order of the class. They are collected by the decorator, because compilers may drop class
 * fields without a value.
 */
const VARIABLES: string[] = [];

/** Declares a property as a variable that is read and validated by `reader`. */
function Reads<T>(reader: VariableReader<T>): PropertyDecorator {
  const transform = Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (reader.read(value) ?? INVALID) : value,
  );
  const validate = ValidateBy({
    name: 'reads',
    validator: {
      validate: (value) => value !== INVALID && value !== undefined,
      defaultMessage: () => reader.wants,
    },
  });
  return (target, property) => {
    VARIABLES.push(String(property));
    transform(target, property);
    validate(target, property);
  };
}

const receiver = address('http://localhost:4318', 'http', 'https');
const singleLine = textMatching('a text of one line', /^[^\r\n]+$/);

export class Environment {
  @IsOptional() @Reads(singleLine) readonly NODE_ENV?: string;

  @Reads(textMatching('a host name or an address', /^[^\s/]+$/)) readonly HOST: string = '127.0.0.1';
  @Reads(wholeNumber(0, 65535)) readonly PORT: number = 3000;

  @IsOptional() @Reads(textMatching('a host name or an address', /^[^\s/]+$/)) readonly METRICS_HOST?: string;
  @IsOptional() @Reads(wholeNumber(0, 65535)) readonly METRICS_PORT?: number;

  @IsOptional()
  @Reads(address('postgres://kind:password@localhost:5432/kind', 'postgres', 'postgresql'))
  readonly DATABASE_URL?: string;
  @IsOptional()
  @Reads(address('postgres://kind:password@localhost:5432/kind', 'postgres', 'postgresql'))
  readonly DATABASE_DIRECT_URL?: string;
  @IsOptional()
  @Reads(address('postgres://kind:password@localhost:5432/kind', 'postgres', 'postgresql'))
  readonly DATABASE_REPLICA_URL?: string;
  @Reads(duration('1s', '1h')) readonly DATABASE_REPLICA_MAX_LAG: number = 10_000;
  @Reads(wholeNumber(1, 1000)) readonly DATABASE_POOL: number = 10;
  @Reads(onOff) readonly DATABASE_PREPARED: boolean = true;
  @Reads(singleLine) readonly DATA_DIR: string = './.data';
  @IsOptional() @Reads(storeAddress) readonly FILES_URL?: StoreAddress;

  @ValidateIf((environment: Environment) => needsSecret(environment))
  @Reads(
    textMatching(
      'at least 32 characters (it is required where NODE_ENV=production and DATABASE_URL is set)',
      /^.{32,}$/su,
    ),
  )
  readonly JWT_SECRET?: string;
  @IsOptional()
  @Reads(textMatching('at least 32 characters, none of them a comma', /^[^,]{32,}$/su))
  readonly SECRETS_KEY?: string;
  @Reads(secretList) readonly SECRETS_KEY_OLD: readonly string[] = [];
  @Reads(duration('1s', '365d')) readonly ACCESS_TOKEN_TTL: number = 15 * 60_000;
  @Reads(duration('1s', '1d')) readonly STEP_UP_TTL: number = 10 * 60_000;
  @Reads(duration('1s', '3650d')) readonly REFRESH_TOKEN_TTL: number = 30 * 86_400_000;

  @IsOptional()
  @Reads(address('smtp://user:password@mail.example.com:587', 'smtp', 'smtps'))
  readonly MAIL_URL?: string;
  @Reads(textMatching('a sender such as Kind <kind@example.com>', /^[^\r\n]*[^\s@<]@[^\s@>]+>?$/))
  readonly MAIL_FROM: string = 'Kind <kind@localhost>';
  @IsOptional() @Reads(address('https://kind.example.com', 'http', 'https')) readonly PUBLIC_URL?: string;

  @Reads(textMatching('a lower-case letter, then 1 to 39 lower-case letters, digits, _ and -', PROJECT_ID))
  readonly BOOTSTRAP_PROJECT: string = 'demo';
  @Reads(singleLine) readonly BOOTSTRAP_ADMIN_USERNAME: string = 'admin';
  @Reads(textMatching('an e-mail address', /^[^\s@]+@[^\s@]+$/)) readonly BOOTSTRAP_ADMIN_EMAIL: string =
    'admin@example.com';
  @IsOptional() @Reads(textOfLength(PASSWORD)) readonly BOOTSTRAP_ADMIN_PASSWORD?: string;

  @Reads(singleLine) readonly FUNCTIONS_DIR: string = './functions';
  @IsOptional() @Reads(onOff) readonly FUNCTIONS_WATCH?: boolean;
  @Reads(duration('1ms', '1h')) readonly FUNCTION_TIMEOUT: number = 10_000;
  @Reads(duration('1ms', '1h')) readonly FILE_HOOK_TIMEOUT: number = 60_000;

  @Reads(networkList) readonly WEBHOOK_ALLOW: readonly string[] = [];
  @Reads(onOff) readonly WEBHOOK_ALLOW_PRIVATE: boolean = false;
  @Reads(onOff) readonly WEBHOOK_ALLOW_HTTP: boolean = false;
  /** Identity providers may be on any address, and on loopback by http. */
  @Reads(onOff) readonly OIDC_ALLOW_PRIVATE: boolean = false;

  @Reads(size('1kb', '1gb')) readonly BODY_LIMIT: number = 1024 ** 2;
  @Reads(size('1kb', '1gb')) readonly BODY_LIMIT_UNITS: number = 16 * 1024 ** 2;
  @Reads(size('1kb', '5gb')) readonly FILE_LIMIT: number = 100 * 1024 ** 2;
  @Reads(originList) readonly CORS_ORIGINS: readonly string[] | '*' = [];
  @Reads(onOff) readonly AUTH_RATE_LIMIT: boolean = true;
  @Reads(trustProxy) readonly TRUST_PROXY: boolean | number | string | readonly string[] = false;

  @Reads(wholeNumber(1, 256)) readonly WORKERS: number = 1;
  @Reads(oneOf(...LOG_LEVELS)) readonly LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';
  @IsOptional() @Reads(oneOf('pretty', 'json')) readonly LOG_FORMAT?: 'pretty' | 'json';
  @Reads(duration('0s', '1h')) readonly SHUTDOWN_GRACE: number = 10_000;
  @Reads(duration('0s', '1h')) readonly SHUTDOWN_IDLE: number = 5000;
  @IsOptional()
  @Reads(
    textMatching('log, off, or the path of a file, which contains a slash', /^(?:log|off|[^\r\n]*\/[^\r\n]*[^/\r\n])$/),
  )
  readonly AUDIT_LOG?: string;
  @Reads(onOff) readonly CONSOLE: boolean = true;
  @Reads(onOff) readonly COMPRESSION: boolean = true;
  @Reads(oneOf('off', 'administrators', 'on')) readonly SERVER_TIMING: 'off' | 'administrators' | 'on' = 'off';

  // Names and meanings are those of OpenTelemetry, whose libraries read the other ones themselves.
  @Reads(onOff) readonly OTEL_SDK_DISABLED: boolean = false;
  @IsOptional() @Reads(oneOf('otlp', 'none')) readonly OTEL_TRACES_EXPORTER?: 'otlp' | 'none';
  @IsOptional() @Reads(receiver) readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  @IsOptional() @Reads(receiver) readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;
  @Reads(oneOf(...TRACE_PROTOCOLS))
  readonly OTEL_EXPORTER_OTLP_PROTOCOL: (typeof TRACE_PROTOCOLS)[number] = 'http/protobuf';
  @IsOptional()
  @Reads(oneOf(...TRACE_PROTOCOLS))
  readonly OTEL_EXPORTER_OTLP_TRACES_PROTOCOL?: (typeof TRACE_PROTOCOLS)[number];
}

/** Variables whose values are never shown. */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'FILES_URL',
  'JWT_SECRET',
  'SECRETS_KEY',
  'SECRETS_KEY_OLD',
  'MAIL_URL',
  'BOOTSTRAP_ADMIN_PASSWORD',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
] satisfies (keyof Environment)[]);

function needsSecret({ JWT_SECRET, NODE_ENV, DATABASE_URL }: Environment): boolean {
  return JWT_SECRET !== undefined || (NODE_ENV === 'production' && DATABASE_URL !== undefined);
}

interface EnvironmentFault {
  readonly variable: string;
  readonly wants: string;
}

/** Unset and empty variables have their defaults. Faults are in the order of the class. */
export function readEnvironment(raw: Readonly<Record<string, string | undefined>>): {
  readonly environment: Environment;
  readonly faults: readonly EnvironmentFault[];
} {
  const given = Object.entries(raw).filter(
    ([name, value]) => VARIABLES.includes(name) && value !== undefined && value !== '',
  );
  const environment = plainToInstance(Environment, Object.fromEntries(given), { exposeDefaultValues: true });
  const faults = validateSync(environment).map(({ property, constraints }) => ({
    variable: property,
    wants: Object.values(constraints ?? {}).join(', '),
  }));
  const place = ({ variable }: EnvironmentFault): number => VARIABLES.indexOf(variable);
  return { environment, faults: faults.sort((a, b) => place(a) - place(b)) };
}
