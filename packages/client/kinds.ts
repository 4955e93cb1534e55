/** The kinds of a project as types: what `types.ts` says of them, and what `include` makes of their units. */

export interface JsonObject {
  readonly [key: string]: Json;
}
export interface JsonList extends ReadonlyArray<Json> {
  readonly [at: number]: Json;
}
export type Json = string | number | boolean | null | JsonObject | JsonList;

/** What an edit may say in place of a number, a list or JSON: it is computed on what is stored. */
export interface Inc {
  readonly $inc: number | string;
}
export interface Change<Item> {
  readonly $remove?: readonly Item[];
  readonly $add?: readonly Item[];
}
export interface Merge {
  readonly $merge: JsonObject;
}
export interface SetTo {
  readonly $set: Json;
}

/** What `types.ts` says of a kind. */
export interface KindShape {
  /** A unit as the caller reads it. */
  readonly unit: object;
  /** Its references, with the kinds that they lead to. */
  readonly refs: object;
  /** The references that lead here: `comment.article`. */
  readonly from: string;
  /** The values of a new unit, and what an edit may have in place of some of them. */
  readonly create: object;
  readonly edit: object;
  /** Whether the caller may read every unit. */
  readonly all: boolean;
  /** What the caller may do. */
  readonly can: string;
  readonly functions: object;
  /** The types of its links, with the values that each has. */
  readonly links: object;
}
export type Shapes<S> = { readonly [K in keyof S]: KindShape };

export type Show<T> = { [P in keyof T]: T[P] };
export type Name<S extends Shapes<S>, K extends keyof S> = keyof S[K]['unit'] & string;
export type Ref<S extends Shapes<S>, K extends keyof S> = keyof S[K]['refs'] & string;
export type LinkType<S extends Shapes<S>, K extends keyof S> = keyof S[K]['links'] & string;
type Target<S extends Shapes<S>, K extends keyof S, R> = R extends keyof S[K]['refs']
  ? S[K]['refs'][R] & keyof S
  : never;

// ---- Paths: `title`, `author.name`, over three references at most ----

type Less = [0, 0, 1, 2];
/** The type of what a path leads to; never if it leads nowhere. */
export type Field<S extends Shapes<S>, K extends keyof S, P extends string, Depth extends number = 3> =
  P extends Name<S, K>
    ? S[K]['unit'][P]
    : P extends `${infer R}.${infer Rest}`
      ? R extends Ref<S, K>
        ? Depth extends 0
          ? never
          : Field<S, Target<S, K, R>, Rest, Less[Depth]>
        : R extends Name<S, K>
          ? JsonObject extends S[K]['unit'][R]
            ? string | number | boolean
            : never
          : never
      : never;
/** The path itself if it leads somewhere, otherwise what could stand there. */
export type Checked<S extends Shapes<S>, K extends keyof S, P extends string> = [Field<S, K, P>] extends [never]
  ? P extends `${infer R}.${string}`
    ? `${R & Ref<S, K>}.${Name<S, Target<S, K, R>>}`
    : Name<S, K>
  : P;

export type OrderOf<S extends Shapes<S>, K extends keyof S, O extends string> = O extends `-${infer P}`
  ? `-${Checked<S, K, P>}`
  : Checked<S, K, O>;

// ---- What a list answers ----

// Without references it is nothing, because `{}` would take any text.
type Refs<S extends Shapes<S>, K extends keyof S, Inner> = [Ref<S, K>] extends [never] ? never : Inner;
type Include0<S extends Shapes<S>, K extends keyof S> = readonly Name<S, K>[];
type Include1<S extends Shapes<S>, K extends keyof S> = readonly (
  Name<S, K> | Refs<S, K, { readonly [R in Ref<S, K>]?: Include0<S, Target<S, K, R>> }>
)[];
type Include2<S extends Shapes<S>, K extends keyof S> = readonly (
  Name<S, K> | Refs<S, K, { readonly [R in Ref<S, K>]?: Include1<S, Target<S, K, R>> }>
)[];
/** `['title', {author: ['name']}]` */
export type Include<S extends Shapes<S>, K extends keyof S> = readonly (
  Name<S, K> | '*' | Refs<S, K, { readonly [R in Ref<S, K>]?: Include2<S, Target<S, K, R>> }>
)[];

type Keys<T> = T extends object ? keyof T & string : never;
type At<T, R extends string> = T extends { readonly [P in R]: infer I } ? I : never;
type Orphaned<T> = { [P in keyof T]: T[P] | null };
/** Of a unit that the caller may not read there is only the id. */
type Nested<S extends Shapes<S>, K extends keyof S, I> = { readonly id: string } & (S[K]['all'] extends true
  ? Row<S, K, I>
  : Orphaned<Omit<Row<S, K, I>, 'id'>>);
/** A unit with what `include` names. */
export type Row<S extends Shapes<S>, K extends keyof S, I> = I extends readonly (infer E)[]
  ? Show<
      Omit<Pick<S[K]['unit'], ('*' extends E ? Name<S, K> : E) & Name<S, K>>, Keys<Exclude<E, string>>> & {
        readonly [R in Keys<Exclude<E, string>>]: Nested<S, Target<S, K, R>, At<E, R>> | null;
      }
    >
  : never;
