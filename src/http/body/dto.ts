/**
 * Bodies of fixed shape are DTO classes. Decorators define the validation of each field and its description in the API
 * document. All faults of a body are reported together, with our error codes.
 */
import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import {
  getMetadataStorage,
  IsOptional,
  ValidateBy,
  ValidateIf,
  validateSync,
  type ValidationArguments,
} from 'class-validator';
import { Faults, refusal, type ErrorCode } from '../../shared/errors.js';
import { InexactNumber, isPlainObject, textFault, typeName } from '../../shared/json.js';
import { shortened } from '../../shared/texts.js';

export type DtoClass<T extends object> = new () => T;

type BodyFields = Readonly<Record<string, unknown>>;

/** JSON Schema keywords of a string, besides its type. */
export interface TextDescription {
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly writeOnly?: boolean;
}

/** A required string. */
export function Text(description: TextDescription = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', ...description }),
    IsPresent('must be given'),
    ...textChecks('a string'),
  );
}

/** An optional string; null counts as absent. */
export function OptionalText(description: TextDescription = {}): PropertyDecorator {
  const property = ApiProperty({ type: 'string', nullable: true, required: false, ...description });
  return applyDecorators(property, IsOptional(), ...textChecks('a string or null'));
}

/** The same for a text that is written in a language of its own. @param faultOf what is wrong with it, as sentences */
export function OptionalParsedText(
  description: string,
  faultOf: (text: string) => string | undefined,
): PropertyDecorator {
  const isFit = (value: unknown): boolean => typeof value !== 'string' || faultOf(value) === undefined;
  const check = Check('parameter.bad_value', isFit, (value) => faultOf(String(value)) ?? '');
  // The first fault is told: that it is no text comes before what is wrong with the text.
  return applyDecorators(OptionalText({ description }), check);
}

/** A required string of a list. */
export function Choice(known: readonly string[]): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', enum: [...known] }),
    IsPresent('must be given'),
    Check(
      'parameter.not_allowed',
      (value) => known.some((each) => each === value),
      () => `must be one of ${known.join(', ')}`,
    ),
  );
}

/** An optional string of a list; null counts as absent. */
export function OptionalChoice(known: readonly string[], description: string): PropertyDecorator {
  const property = ApiProperty({
    type: 'string',
    enum: [...known, null],
    nullable: true,
    required: false,
    description,
  });
  const isKnown = (value: unknown): boolean => known.some((each) => each === value);
  return applyDecorators(
    property,
    IsOptional(),
    Check('parameter.not_allowed', isKnown, () => `must be one of ${known.join(', ')}`),
  );
}

/** An optional boolean; null counts as absent. */
export function OptionalFlag(description: string): PropertyDecorator {
  const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
  return applyDecorators(
    ApiProperty({ type: 'boolean', nullable: true, required: false, description }),
    IsOptional(),
    Check('parameter.bad_type', isBoolean, (value) => `must be true, false or null, got ${typeName(value)}`),
  );
}

interface NumberBounds {
  readonly minimum?: number;
  readonly maximum?: number;
  /** Whether it may be left out. */
  readonly optional?: boolean;
}

/** A whole number, not below 0, or in narrower bounds. */
export function WholeNumber(
  description: string,
  { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, optional = false }: NumberBounds = {},
): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'integer', minimum, maximum, description, required: !optional }),
    optional ? ValidateIf((_, value) => value !== undefined) : IsPresent('must be given'),
    Check(
      'parameter.bad_type',
      (value) => typeof value === 'number' || value instanceof InexactNumber,
      (value) => `must be a number, got ${typeName(value)}`,
    ),
    Check(
      'parameter.bad_value',
      (value) => Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
      () => `must be a whole number from ${minimum} to ${maximum}`,
    ),
  );
}

/** An optional list of strings; null counts as absent. */
export function OptionalTexts(description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'array', items: { type: 'string' }, nullable: true, required: false, description }),
    IsOptional(),
    Check(
      'parameter.bad_type',
      (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
      () => 'must be a list of strings',
    ),
  );
}

/** Any JSON, which the handler checks. */
export function OptionalValue(schema: ValueSchema): PropertyDecorator {
  return applyDecorators(ApiProperty({ required: false, ...schema }), IsOptional());
}

/** An object, which the handler checks; null counts as absent where it may be. */
export function JsonObject(description: string, { optional = false } = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: 'object',
      additionalProperties: true,
      selfRequired: !optional,
      nullable: optional,
      description,
    }),
    optional ? IsOptional() : IsPresent('must be given'),
    Check('parameter.bad_type', isPlainObject, (value) => `must be an object, got ${typeName(value)}`),
  );
}

interface ValueSchema {
  readonly oneOf: ({ readonly $ref: string } | { readonly type: 'null' })[];
  readonly description: string;
}

/** Metadata key of the class of a nested object. */
const NESTED_CLASS = 'kind:nested';

/** A required object of another class; `wants` is the text of the fault. */
export function NestedObject(inner: () => DtoClass<object>, wants: string, description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: () => inner(), description }),
    IsPresent(wants),
    Check('parameter.bad_type', isPlainObject, () => wants),
    (target: object, name: string | symbol) => Reflect.defineMetadata(NESTED_CLASS, inner, target, name),
  );
}

/** A validator whose failure has one of our codes. `text` follows the name of the field in the message. */
function Check(
  code: ErrorCode,
  isValid: (value: unknown) => boolean,
  text: (value: unknown) => string,
): PropertyDecorator {
  const message = ({ value }: ValidationArguments): string => text(value);
  return ValidateBy({ name: code, validator: { validate: isValid } }, { message });
}

function IsPresent(wants: string): PropertyDecorator {
  return Check(
    'parameter.required',
    (value) => value !== undefined,
    () => wants,
  );
}

function textChecks(wants: string): PropertyDecorator[] {
  const faultOf = (value: unknown): string | undefined => (typeof value === 'string' ? textFault(value) : undefined);
  return [
    Check(
      'parameter.bad_type',
      (value) => typeof value === 'string',
      (value) => `must be ${wants}, got ${typeName(value)}`,
    ),
    Check(
      'parameter.bad_value',
      (value) => faultOf(value) === undefined,
      (value) => faultOf(value) ?? '',
    ),
  ];
}

/** Validates a body and returns an instance of the class. @throws KindError 400 with every fault */
export function readDto<T extends object>(dto: DtoClass<T>, body: unknown): T {
  const fields = requireObject(body);
  const faults = new Faults();
  const instance = readFields(dto, fields, faults);
  refuseUnknown(dto, fields, faults);
  faults.throwIfAny();
  return instance as T;
}

/** Reads the fields of the class; those with a fault are added to `faults` and left out. */
export function readFields<T extends object>(dto: DtoClass<T>, fields: BodyFields, faults: Faults): Partial<T> {
  const names = fieldNames(dto);
  const present = names.filter((name) => Object.hasOwn(fields, name));
  // Not with class-transformer, which recurses into values, where a client may use keys such as `constructor`.
  const instance: Partial<T> = Object.assign(
    new dto(),
    Object.fromEntries(present.map((name) => [name, fields[name]])),
  );
  const refused = new Map(validateSync(instance, { stopAtFirstError: true }).map((error) => [error.property, error]));
  for (const name of names) {
    const error = refused.get(name);
    const inner = Reflect.getMetadata(NESTED_CLASS, dto.prototype as object, name) as
      (() => DtoClass<object>) | undefined;
    if (error) {
      const [[code, text] = []] = Object.entries(error.constraints ?? {});
      faults.add(code as ErrorCode, `${name}: ${text}`, { parameter: name });
      delete instance[name as keyof T];
    } else if (inner) {
      const [value, within] = [fields[name] as BodyFields, faults.within(name)];
      Object.assign(instance, { [name]: readFields(inner(), value, within) });
      refuseUnknown(inner(), value, within);
    }
  }
  return instance;
}

/** Adds a fault for each field that the class does not have. */
function refuseUnknown(dto: DtoClass<object>, fields: BodyFields, faults: Faults): void {
  const known = fieldNames(dto);
  for (const key of Object.keys(fields).filter((each) => !known.includes(each))) {
    const name = shortened(key);
    const text = `${name}: there is no such parameter here; there are ${known.join(', ')}`;
    faults.add('parameter.unknown', text, { parameter: name });
  }
}

/** @throws KindError 400 `body.not_object` */
export function requireObject(body: unknown): BodyFields {
  if (isPlainObject(body)) return body;
  const got = body === undefined ? 'none' : typeName(body);
  throw refusal('body.not_object', `The body must be a JSON object, got ${got}`);
}

/** The names of the fields of a class, in their order. */
function fieldNames(dto: DtoClass<object>): string[] {
  const checks = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return [...new Set(checks.map(({ propertyName }) => propertyName))];
}
