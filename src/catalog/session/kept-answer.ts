/** What is kept of an answer for an idempotency key beside its content, and who decides what a repeat of it shows. */
import type { Answer } from '../../http/answer/answer.js';
import type { Session, Shown } from './session.js';

/** When and to whom an answer was given, and what it shows. */
export interface KeptCircumstances {
  /** The version of the model; unknown for changes of definitions. */
  readonly model?: number | undefined;
  /** The rights of the caller by level (`rightsKeyOf`). */
  readonly rights?: string;
  /** Of a batch, what the answers of its operations show. */
  readonly shows?: Shown | readonly (Shown | null)[] | undefined;
}

export interface KeptAnswer {
  readonly answer: Answer;
  readonly given: KeptCircumstances;
}

export interface RepeatedAnswer extends KeptAnswer {
  /** Whether the rights of an operation of a batch were checked again, or those of the request. */
  readonly isChecked: (operation: number) => boolean;
}

/** Leaves out of an answer that was kept what the caller may no longer read. */
export abstract class AnswerMask {
  abstract readable(opened: Omit<Session, 'executor'>, repeated: RepeatedAnswer): Promise<Answer>;
}
