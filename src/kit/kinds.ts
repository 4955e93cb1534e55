/** The kinds and link types of a project, and the types of units and of the values of links. */

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

/** The words of the expressions that an edit may have, by parameter. */
export type ExpressionsOf<K extends string> = Declared<Kinds, K, 'expressions', unknown>;

/** The id of a kind. Editors complete those in `Kinds`; others are allowed. */
// eslint-disable-next-line @typescript-eslint/no-redundant-type-constituents -- `Kinds` is filled by declaration merging
export type KindId = keyof Kinds | (string & {});

/** The link types of a project by id. It is empty until `kind types <project>` writes a declaration file that extends it. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- declaration merging fills it
export interface LinkTypes {}

/** The id of a link type. Editors complete those in `LinkTypes`; others are allowed. */
// eslint-disable-next-line @typescript-eslint/no-redundant-type-constituents -- `LinkTypes` is filled by declaration merging
export type LinkTypeId = keyof LinkTypes | (string & {});

/** The ids in `LinkTypes`; any if it is empty. */
export type KnownLinkType = [keyof LinkTypes] extends [never] ? string : keyof LinkTypes;

/** The values of a link of a type. */
export type LinkValuesOf<T extends string> = Declared<LinkTypes, T, 'link', AnyValues>;

/** The values to create a link of a type. */
export type LinkValuesFor<T extends string> = Declared<LinkTypes, T, 'values', AnyValues>;

/** The fields of a link, without its values. */
export interface LinkFields {
  readonly parent_id: string;
  readonly child_id: string;
  readonly type: 'link';
  readonly parent_kind_id: string;
  readonly child_kind_id: string;
  readonly link_id: string;
  readonly inserted_at: string;
}

/** A link of a type, with the values of its parameters. */
export type LinkRecord<T extends string = KnownLinkType> = T extends string
  ? LinkFields & { readonly link_id: T } & LinkValuesOf<T>
  : never;

/** The link by which a unit was reached, without its values. */
export interface StepFields {
  readonly parent_id: string;
  readonly child_id: string;
  /** The number of steps before it. */
  readonly depth: number;
  readonly inserted_at: string;
}

/** A linked unit, with the link by which it was reached. If several types are known, `link.link_id` tells which it is. */
export type LinkedUnit<T extends string = KnownLinkType> = AnyUnit & {
  readonly link: T extends string ? StepFields & { readonly link_id: T } & LinkValuesOf<T> : never;
};
