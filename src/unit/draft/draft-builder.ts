/** Collects the values of one draft, and reports faults of the body. Pure. */
import type { TargetKindText } from '../../access/reference-access.js';
import { Faults, type ErrorCode, type FaultLocation } from '../../shared/errors.js';
import { IDENTIFIER, IDENTIFIER_HINT, identifierFromLabel, isUuid } from '../../shared/identifiers.js';
import { getOrInsert } from '../../shared/maps.js';
import { jsonEqual, scalarText, type Json } from '../../shared/json.js';
import { newId } from '../../shared/new-id.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import { shortened } from '../../shared/texts.js';
import { shownValue, RESERVED_PARAMETERS } from '../../model/field.js';
import { unconditional } from '../../model/predicate/conditional-field.js';
import { isExpression, otherKeyOf, type FieldExpression } from '../../model/expression.js';
import { isDefinitionKind, type Field, type KindDef } from '../../model/model.js';
import { RENAME_TO } from '../../model/rename/renames.js';
import { madeText } from '../../model/made-default.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import type { Stored } from '../../model/parameter-type/parameter-type.js';
import type { DefaultBytes } from './default-bytes.js';
import { storedValues, StoredDraft, type Body, type Draft } from './draft.js';
import { mayBeLarge, readExpression, type ReportFault, ValueReader } from './value-reader.js';

/** What the bodies of a write of one kind have in common. */
export interface DraftOptions {
  readonly kind: KindDef;
  readonly writable: ReadonlyMap<string, Field>;
  /** The fields that the writer may read. Faults do not reveal that other fields exist. */
  readonly readable: ReadonlyMap<string, Field>;
  readonly faults: Faults;
  /** Collects texts to match against patterns. */
  readonly patterns: PatternChecks;
  /** Gives the defaults of new units. */
  readonly defaults: DefaultBytes;
  /** Texts for target kinds of references, empty where the caller may not know the kind. */
  readonly ofTarget: TargetKindText;
  /** Bodies may have ids that are otherwise generated. */
  readonly keepIds?: boolean;
}

/** What is known of one body. */
export interface BodyDetails {
  /** The position of the object in a bulk body. */
  readonly index?: number | undefined;
  /** The id of the unit that is edited. */
  readonly id?: string | undefined;
  /** Keys of nested units by the id of the reference; undefined after a fault. */
  readonly nestedKeys?: ReadonlyMap<string, Json | undefined> | undefined;
  /** Values may be expressions on what is stored. */
  readonly expressions?: boolean | undefined;
}

export const NO_TARGET: TargetKindText = () => '';

/** The fields of a kind that drafts have. */
interface DraftFields {
  /** All fields except the id and those that only the system writes. */
  readonly ofBodies: readonly Field[];
  /** The fields that a create writes. */
  readonly created: readonly Field[];
}

const draftFields = new WeakMap<KindDef, DraftFields>();

function draftFieldsOf(kind: KindDef): DraftFields {
  return getOrInsert(draftFields, kind, () => {
    const ofBodies = [...kind.fields.values()].filter((field) => field !== kind.keyField && !field.system);
    const generated = kind.key === 'uuid' || kind.key === 'identifier' ? [kind.keyField] : [];
    return { ofBodies, created: [...generated, ...ofBodies.filter(({ column }) => column !== undefined)] };
  });
}

export class DraftBuilder {
  readonly #row: Record<string, Json> = {};
  readonly #written: Field[] = [];
  /** By parameter; set once there is a run-time parameter, whose value is not in the row. */
  #values: Map<string, Json> | undefined;
  /** Set once there is an expression. */
  #expressions: FieldExpression[] | undefined;
  readonly #reader: ValueReader;

  constructor(
    private readonly body: Body,
    private readonly options: DraftOptions,
    private readonly details: BodyDetails = {},
  ) {
    const report: ReportFault = (code, { id }, text) => this.#report(code, id, text);
    this.#reader = new ValueReader(options.kind, options.patterns, report, options.ofTarget);
  }

  fields(): readonly Field[] {
    return draftFieldsOf(this.options.kind).ofBodies;
  }

  /** Whether the body has a value for a field that its writer may write. */
  has(field: Field): boolean {
    return this.body.has(field.id) && this.options.writable.has(field.id);
  }

  /** Whether the body creates the unit that a field refers to. */
  isNested(field: Field): boolean {
    return this.details.nestedKeys?.has(field.id) ?? false;
  }

  acceptNestedKey(field: Field): void {
    this.#store(field, this.details.nestedKeys?.get(field.id) ?? null);
  }

  /** Reports keys that are no parameters, or that the writer may not write. */
  checkKeys(): void {
    const { kind, writable } = this.options;
    for (const key of this.body.keys()) {
      if (key === 'id') this.#checkId(this.body.get(key));
      else if (key === 'kind_id') {
        if (this.body.get(key) !== kind.id) {
          this.#fault('parameter.immutable', key, `is '${kind.id}' and never changes`);
        }
      } else if (!writable.has(key)) this.#refuseKey(key, this.body.get(key));
    }
  }

  #refuseKey(key: string, value: unknown): void {
    const { kind, writable, readable, faults } = this.options;
    const field = kind.fields.get(key);
    // Records have constant fields, so that a body may have them too, with their value.
    if (field?.constant !== undefined && jsonEqual(field.constant, value)) return;
    const known = field !== undefined && readable.has(key) && !(field.recordOnly && kind.discriminated);
    const isMade = known && (field.system || field.def.sequence);
    if (key === 'links' || isMade) this.#fault('parameter.read_only', key, 'is written by the system');
    else if (known) this.#fault('parameter.read_only', key, 'may not be written by you');
    else {
      const names = [...writable.keys()].filter((name) => !RESERVED_PARAMETERS.has(name));
      const shown = shortened(key);
      this.#fault('parameter.unknown', shown, `'${kind.id}' has no such parameter${faults.hint(key, names)}`);
    }
  }

  #checkId(value: unknown): void {
    const { kind } = this.options;
    const { id } = this.details;
    if (id !== undefined) {
      if (value === id) return;
      const text = isDefinitionKind(kind) ? `is '${id}'; '${RENAME_TO}' gives it another id` : 'never changes';
      this.#fault('parameter.immutable', 'id', text);
    } else if (kind.key === 'uuid' && this.options.keepIds) return;
    else if (kind.key === 'uuid' || kind.key === 'source') this.#fault('parameter.read_only', 'id', 'is generated');
    else if (kind.key === 'natural' && value !== undefined && value !== this.#naturalKey()) {
      this.#fault('parameter.read_only', 'id', `is the value of '${kind.primary?.id ?? ''}'`);
    }
  }

  /** The id of a new unit by its primary parameter; undefined if that is missing or invalid. */
  #naturalKey(): string | undefined {
    const { kind } = this.options;
    const { primary } = kind;
    const given = primary && this.body.get(primary.id);
    if (!primary || given === null) return undefined;
    const key = new ValueReader(kind, new PatternChecks(), () => undefined, NO_TARGET).read(primary, given);
    return key === undefined ? undefined : scalarText(shownValue(primary, key));
  }

  /** Adds the id of a new unit. Call it before other values are added, so that the id is the first. */
  addId(): void {
    const id = this.#makeId();
    if (id !== undefined) this.#store(this.options.kind.keyField, id);
  }

  #makeId(): Stored | undefined {
    const { kind } = this.options;
    if (kind.key === 'uuid') return this.options.keepIds ? this.#givenId() : newId();
    if (kind.key === 'natural' || kind.key === 'source') return undefined;
    const given = this.body.get('id');
    if (given !== undefined) {
      if (typeof given === 'string' && IDENTIFIER.test(given)) return given;
      this.#fault('identifier.malformed', 'id', `must be ${IDENTIFIER_HINT}`);
      return undefined;
    }
    const label = this.body.get('label');
    if (label === undefined || label === null || label === '') {
      this.#fault('identifier.missing', 'id', 'an id or a label must be given');
      return undefined;
    }
    const id = typeof label === 'string' ? identifierFromLabel(label) : undefined;
    if (id === undefined) this.#fault('identifier.missing', 'id', 'none can be made from the label; give one');
    return id;
  }

  /** The id in the body; a new one if it has none. */
  #givenId(): Stored | undefined {
    const given = this.body.get('id') ?? null;
    if (given === null) return newId();
    if (typeof given === 'string' && isUuid(given)) return given.toLowerCase();
    this.#fault('parameter.bad_value', 'id', 'must be a UUID');
    return undefined;
  }

  /** Whether the field is the key of the unit. An edit may repeat the key; another value is reported as a fault. */
  keepsKey(field: Field): boolean {
    const { kind } = this.options;
    const { id } = this.details;
    if (id === undefined || field !== kind.primary || this.body.get(field.id) === null) return false;
    if (this.#isExpression(this.body.get(field.id))) {
      this.#fault('unit.key_immutable', field.id, "is the unit's key, and never changes");
      return true;
    }
    const stored = this.#reader.read(field, this.body.get(field.id));
    if (stored !== undefined && scalarText(stored) !== id) {
      const key = id === '' ? '' : `, '${id}',`;
      this.#fault('unit.key_immutable', field.id, `is the unit's key${key} and never changes`);
    }
    return true;
  }

  absent(field: Field): void {
    const value = this.options.defaults.of(field);
    if (value !== null) this.#storeDefault(field, value);
    else if (field.supplied) return;
    else if (field.def.required || field === this.options.kind.primary) {
      this.#fault('parameter.required', field.id, 'must be given');
    } else if (!field.def.nullable) this.#fault('parameter.required', field.id, 'must be given: it may not be null');
    else this.#store(field, null);
  }

  /** A value of the member may be none that the parameter may have. The fault does not tell it. */
  #storeDefault(field: Field, value: Json): void {
    const { made } = field.def;
    if (made?.from !== 'member') return this.#store(field, value);
    const text = `must be given: its default, '${madeText(made)}', is no value that it may have`;
    let isReported = false;
    const report = (): void => {
      if (!isReported) this.#fault('parameter.required', field.id, text);
      isReported = true;
    };
    const reader = new ValueReader(this.options.kind, this.options.patterns, report, NO_TARGET);
    this.#keep(field, reader.read(field, value));
  }

  /** Validates a value and adds it. For fields whose values may be large, returns the work to be run in pieces. */
  accept(field: Field, value: unknown): WorkInPieces<void> | undefined {
    if (this.#isExpression(value)) return this.#acceptExpression(field, value);
    const other = this.details.expressions && !field.type.hasKeys ? otherKeyOf(value) : undefined;
    if (other === undefined) return this.#acceptValue(field, value);
    return void this.#fault('parameter.bad_type', field.id, `an expression has no key '${shortened(other)}'`);
  }

  #acceptValue(field: Field, value: unknown): WorkInPieces<void> | undefined {
    if (value === null) {
      if (field.def.nullable) this.#store(field, null);
      else this.#fault('parameter.null', field.id, 'must not be null');
      return undefined;
    }
    if (mayBeLarge(field)) return this.#acceptLarge(field, value);
    this.#keep(field, this.#reader.read(field, value));
    return undefined;
  }

  #isExpression(value: unknown): value is Record<string, unknown> {
    return this.details.expressions === true && isExpression(value);
  }

  *#acceptExpression(field: Field, given: Record<string, unknown>): WorkInPieces<void> {
    const { kind, readable } = this.options;
    const report = (code: ErrorCode, text: string) => this.#fault(code, field.id, text);
    const read = yield* readExpression(field, given, { kind, values: this.#reader, report });
    if (!read) return;
    if ('value' in read) {
      const rest = this.#acceptValue(field, read.value);
      if (rest) yield* rest;
      // A refusal would tell whether the result is allowed, and so what is stored.
    } else if (!unconditional(readable).has(field.id))
      report('parameter.bad_value', 'takes no expression of yours: you may not read it');
    else (this.#expressions ??= []).push({ field, expression: read.expression });
  }

  *#acceptLarge(field: Field, value: unknown): WorkInPieces<void> {
    this.#keep(field, yield* this.#reader.readInPieces(field, value));
    yield;
  }

  #keep(field: Field, stored: Stored | undefined): void {
    if (stored !== undefined) this.#store(field, stored);
  }

  #store(field: Field, value: Json): void {
    if (field.column === undefined) this.#values ??= storedValues({ row: this.#row, written: this.#written });
    this.#values?.set(field.id, value);
    if (field.column === undefined) return;
    this.#row[field.column] = value;
    this.#written.push(field);
  }

  finish(): Draft {
    const { created } = draftFieldsOf(this.options.kind);
    // The fields were written in their order: with the same number the lists are the same, and many drafts share one.
    const written = this.#written.length === created.length ? created : this.#written;
    if (!this.#values) return new StoredDraft(this.#row, written, this.#expressions);
    return { row: this.#row, written, values: this.#values, expressions: this.#expressions };
  }

  #fault(code: ErrorCode, parameter: string, text: string): void {
    this.#report(code, parameter, `${parameter}: ${text}`);
  }

  #report(code: ErrorCode, parameter: string, text: string): void {
    const { index } = this.details;
    const place: FaultLocation = index === undefined ? { parameter } : { parameter, index };
    this.options.faults.add(code, text, place);
  }
}
