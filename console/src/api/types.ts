/** What the service answers, as far as the console reads it. */
import type { Message } from '../../../packages/client/call.js';
import type { ParameterTypeId } from '../../../src/model/parameter-type/parameter-types.js';

export type { Message };

export interface Envelope<T> {
  readonly content: T;
  readonly messages: readonly Message[];
  readonly changes?: unknown;
}

export interface Page<T> {
  readonly count: number;
  readonly items: readonly T[];
  /** The cursor of the next page; null on the last one, absent without a cursor. */
  readonly next?: string | null;
}

export interface Kind {
  readonly id: string;
  readonly label: string;
  readonly active: boolean;
  readonly remote: boolean;
  /** What is recorded of its units; unknown to who may not read its definition. */
  readonly changes?: 'none' | 'feed' | 'history';
  readonly parameters: readonly string[];
  readonly updated_at: string;
}

export interface Group {
  readonly id: string;
  readonly label: string;
  readonly kind_list: readonly string[];
}

/** A field of a kind, as its struct describes it. */
export interface Field {
  readonly id: string;
  readonly label: string;
  readonly type: FieldType;
  readonly default: unknown;
  readonly helper_text: string | null;
  readonly required: boolean;
  readonly multiple: boolean;
  readonly strip?: boolean;
  readonly min_length: number | null;
  readonly max_length: number | null;
  readonly values: readonly unknown[] | null;
  readonly reference_kind?: string | null;
  readonly persistence?: string;
  /** It can be written, and is in no answer. */
  readonly hidden?: true;
  /** Of a reference to files: which ones it takes. */
  readonly accept?: readonly string[];
  readonly max_bytes?: number;
  /** Nobody sets it: the service finds it in the content of a file. */
  readonly isFound?: true;
  /** For who may read the definition of the parameter. */
  readonly limits?: Limits | undefined;
}

/** What a definition limits, and a struct does not tell. Limits of decimals are texts. */
export interface Limits {
  readonly nullable: boolean;
  /** Of a list: whether its elements are. */
  readonly unique: boolean;
  readonly is_primary: boolean;
  readonly min_value?: number | string | null;
  readonly max_value?: number | string | null;
  readonly scale?: number | null;
  /** A regular expression of the RE2 dialect. */
  readonly pattern?: string | null;
}

export type FieldType = ParameterTypeId;

export interface Unit {
  readonly id: string;
  readonly kind_id: string;
  readonly [field: string]: unknown;
}

/** The member that is signed in. */
export interface Member {
  readonly id: string;
  readonly kind_id: string;
  readonly username: string;
  readonly email: string;
  /** When it has proved that the address is its own; null if it has not. */
  readonly email_verified_at: string | null;
  readonly administrator: boolean;
}
