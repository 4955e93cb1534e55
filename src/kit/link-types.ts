/** The types of links and of their values. */
import type { AnyUnit, AnyValues, Declared } from './kinds.js';

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
