/** A text without spaces at its ends, as a type. */
export type Trim<T extends string> = T extends ` ${infer R}` ? Trim<R> : T extends `${infer R} ` ? Trim<R> : T;
