/**
 * Bodies of fixed shape are classes: decorators say what each field takes, and its description in the API document.
 * Whatever is wrong with a body is told at once, each fault with a code of ours.
 */
import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { getMetadataStorage, IsOptional, ValidateBy, validateSync, type ValidationArguments } from 'class-validator';
import { Faults, refusal, type ErrorCode } from '../../shared/errors.js';
import { isPlainObject, textFault, typeName } from '../../shared/json.js';

export type DtoClass<T extends object> = new () => T;

type Fields = Readonly<Record<string, unknown>>;

/** JSON Schema of a text, beside its type. */
export interface TextDescription {
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly writeOnly?: boolean;
}

/** A text, which must be given. */
export function Text(described: TextDescription = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', ...described }),
    IsGiven('must be given'),
    ...isText('a string'),
  );
}

/** A text or null, which is what a body without it gives. */
export function OptionalText(described: TextDescription = {}): PropertyDecorator {
  const description = ApiProperty({ type: 'string', nullable: true, required: false, ...described });
  return applyDecorators(description, IsOptional(), ...isText('a string or null'));
}

/** The class of a field that is an object, by the name of the field. */
const NESTED = 'kind:nested';

/** An object of another class, which must be given; `wants` says what it must be. */
export function NestedObject(inner: () => DtoClass<object>, wants: string, description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: () => inner(), description }),
    IsGiven(wants),
    Check('parameter.bad_type', isPlainObject, () => wants),
    (target: object, name: string | symbol) => Reflect.defineMetadata(NESTED, inner, target, name),
  );
}

/** A check whose failure has a code of ours; what `text` says goes on after the name of the field. */
function Check(
  code: ErrorCode,
  isGood: (value: unknown) => boolean,
  text: (value: unknown) => string,
): PropertyDecorator {
  const message = ({ value }: ValidationArguments): string => text(value);
  return ValidateBy({ name: code, validator: { validate: isGood } }, { message });
}

function IsGiven(wants: string): PropertyDecorator {
  return Check(
    'parameter.required',
    (value) => value !== undefined,
    () => wants,
  );
}

function isText(wants: string): PropertyDecorator[] {
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

/** The body as an instance of the class. @throws KindError 400 with every fault */
export function readDto<T extends object>(dto: DtoClass<T>, body: unknown): T {
  const fields = requireObject(body);
  const faults = new Faults();
  const instance = readFields(dto, fields, faults);
  refuseOthers(dto, fields, faults);
  faults.throwIfAny();
  return instance as T;
}

/** The fields of the class alone, without those that have a fault. Faults are added. */
export function readFields<T extends object>(dto: DtoClass<T>, fields: Fields, faults: Faults): Partial<T> {
  const names = fieldsOf(dto);
  const given = names.filter((name) => Object.hasOwn(fields, name));
  // Not by class-transformer, which goes into values: a client may name a key `constructor` there.
  const instance: Partial<T> = Object.assign(new dto(), Object.fromEntries(given.map((name) => [name, fields[name]])));
  const refused = new Map(validateSync(instance, { stopAtFirstError: true }).map((error) => [error.property, error]));
  for (const name of names) {
    const error = refused.get(name);
    const inner = Reflect.getMetadata(NESTED, dto.prototype as object, name) as (() => DtoClass<object>) | undefined;
    if (error) {
      const [[code, text] = []] = Object.entries(error.constraints ?? {});
      faults.add(code as ErrorCode, `${name}: ${text}`, { parameter: name });
      delete instance[name as keyof T];
    } else if (inner) {
      const [value, within] = [fields[name] as Fields, faults.within(name)];
      Object.assign(instance, { [name]: readFields(inner(), value, within) });
      refuseOthers(inner(), value, within);
    }
  }
  return instance;
}

/** Adds a fault for each field that the class does not have. */
function refuseOthers(dto: DtoClass<object>, fields: Fields, faults: Faults): void {
  const known = fieldsOf(dto);
  for (const key of Object.keys(fields).filter((each) => !known.includes(each))) {
    const name = key.slice(0, 80);
    const text = `${name}: there is no such parameter here; there are ${known.join(', ')}`;
    faults.add('parameter.unknown', text, { parameter: name });
  }
}

/** @throws KindError 400 `body.not_object` */
export function requireObject(body: unknown): Fields {
  if (isPlainObject(body)) return body;
  const got = body === undefined ? 'none' : typeName(body);
  throw refusal('body.not_object', `The body must be a JSON object, got ${got}`);
}

/** The names of the fields of a class, in its order. */
function fieldsOf(dto: DtoClass<object>): string[] {
  const checks = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return [...new Set(checks.map(({ propertyName }) => propertyName))];
}
