/** What a campaign is: a test that can be made longer, with figures at its end. `run.ts` runs the long forms. */

export interface CampaignOptions {
  readonly rounds: number;
  /** The same seed chooses the same requests and moments; what processes do at the same time still differs. */
  readonly seed: number;
  /** A folder for everything that it writes. */
  readonly folder: string;
  /** A data folder on which initdb has run, to be copied; without one, each database begins with initdb. */
  readonly initialised?: string | undefined;
  /** How many units there are, in campaigns with a large project. */
  readonly units?: number | undefined;
  /** Leaves out what has to be waited for. */
  readonly short?: boolean;
  /** Milliseconds that each client of a load waits between two requests; none, if it is left out. */
  readonly pause?: number | undefined;
  /** Reports progress. */
  readonly say: (line: string) => void;
}

/** What was counted and measured, in the order of the report. */
export type Figures = Readonly<Record<string, number | string>>;

export interface Campaign {
  /** One line for the list of campaigns. */
  readonly about: string;
  /** Of the long form. */
  readonly rounds: number;
  /** Why it cannot run on this machine; undefined if it can. */
  readonly missing?: () => string | undefined;
  /** @throws CampaignFault */
  readonly run: (options: CampaignOptions) => Promise<Figures>;
}

/** A promise that was not kept. */
export class CampaignFault extends Error {}

const SHOWN_FAULTS = 20;

/** @throws CampaignFault if there are faults */
export function throwFaults(faults: readonly string[], where: string): void {
  if (faults.length === 0) return;
  const shown = faults.slice(0, SHOWN_FAULTS).map((fault) => `  ${fault}`);
  throw new CampaignFault([`${where}: ${faults.length} faults`, ...shown].join('\n'));
}
