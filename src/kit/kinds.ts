/** The kinds of a project, and the types of their units. */

/**
 * The kinds of a project by id. It is empty until `kind types <project>` writes a declaration file that extends it.
 * Units of kinds that are not in it can have any parameters.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- declaration merging fills it
export interface Kinds {}

/** A unit of a kind that is not in `Kinds`. */
export interface AnyUnit {
  readonly id: string;
  readonly kind_id: string;
  readonly [parameter: string]: unknown;
}

/** The values of a unit of a kind that is not in `Kinds`. */
export type AnyValues = Readonly<Record<string, unknown>>;

/** What a declaration file says of an id; `Other` where it says nothing. */
export type Declared<Declarations, Id, Property extends string, Other> = Id extends keyof Declarations
  ? Declarations[Id] extends { [P in Property]: infer Value }
    ? Value
    : Other
  : Other;

/** A unit of a kind. */
export type UnitOf<K extends string> = Declared<Kinds, K, 'unit', AnyUnit>;

/** The values of a unit of a kind, as hooks receive them. The value of a reference is an id. */
export type ValuesFor<K extends string> = Declared<Kinds, K, 'values', AnyValues>;

/** Values of which any can be omitted or undefined. */
export type SomeOf<V> = { readonly [P in keyof V]?: V[P] | undefined };

/** The referenced kinds of a kind, by parameter. */
type ReferencesOf<K extends string> = Declared<Kinds, K, 'references', unknown>;

/**
 * The values to create or edit a unit. The value of a reference is an id, or the values of a unit to create with this
 * one.
 */
export type GivenFor<K extends string> = {
  readonly [P in keyof ValuesFor<K>]: P extends keyof ReferencesOf<K>
    ? ValuesFor<K>[P] | GivenFor<ReferencesOf<K>[P] & string>
    : ValuesFor<K>[P];
};

/** The id of a kind. Editors complete those in `Kinds`; others are allowed. */
// eslint-disable-next-line @typescript-eslint/no-redundant-type-constituents -- `Kinds` is filled by declaration merging
export type KindId = keyof Kinds | (string & {});
