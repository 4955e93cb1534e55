/** Members who have to do something before they may go further than their own authentication. */

/** What they have to do: the code of the refusal. */
export type HeldReason = 'second_step.missing';

/** What a project asks of its members. */
export interface MemberDemands {
  /** Who has to have a second step that is no mail; absent: nobody. */
  readonly secondStep?: 'optional' | 'administrators' | 'everyone';
}
