/**
 * Three processes on one database: definitions change through one of them while all read and write. Every answer has to
 * fit a state of the definitions that was true between its request and its end: acknowledged ones hold everywhere.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { isAnswer, refusalFault, shown, type Answer, type Client, type NoAnswer, type Sent } from './client.js';
import { Deployment } from './deployment.js';
import { Random } from './random.js';

const PROCESSES = 3;
const CLIENTS_EACH = 3;
const PARAMETERS = ['p_a', 'p_b', 'p_c', 'p_d', 'p_e', 'p_f'];
const KINDS = ['t_a', 't_b', 't_c'];
const SIZES = [10, 20, 30, 40];
const REPORTED = 100;

/** The definitions, as far as answers can tell. */
interface State {
  readonly parameters: readonly string[];
  readonly max: number;
  readonly active: boolean;
  /** The other kinds that there are. */
  readonly kinds: readonly string[];
}

interface Change {
  readonly request: Sent;
  readonly after: State;
}

function toggled(list: readonly string[], one: string): string[] {
  return list.includes(one) ? list.filter((each) => each !== one) : [...list, one];
}

function randomChange(state: State, random: Random): Change {
  const put = (path: string, body: object): Sent => ({ method: 'PUT', path, body });
  const drawn = random.next();
  if (drawn < 0.45) {
    const parameters = toggled(state.parameters, random.pick(PARAMETERS));
    return {
      request: put('/kind/unit/shape?cascade=true', { parameters: ['size', ...parameters] }),
      after: { ...state, parameters },
    };
  }
  if (drawn < 0.65) {
    const max = random.pick(SIZES);
    return { request: put('/integer/unit/size', { max_value: max }), after: { ...state, max } };
  }
  if (drawn < 0.8) {
    const active = !state.active;
    return { request: put('/kind/unit/shape', { active }), after: { ...state, active } };
  }
  const id = random.pick(KINDS);
  const request: Sent = state.kinds.includes(id)
    ? { method: 'DELETE', path: `/kind/unit/${id}?cascade=true` }
    : { method: 'POST', path: '/kind/unit', body: { id, parameters: ['size'] } };
  return { request, after: { ...state, kinds: toggled(state.kinds, id) } };
}

/** A request, and whether an answer to it fits a state. */
interface Question {
  readonly request: Sent;
  readonly fits: (answer: Answer, state: State) => boolean;
}

const codesOf = (answer: Answer): string => (answer.body?.messages ?? []).map(({ code }) => code).join();
const refusedWith = (answer: Answer, status: number, code: string): boolean => {
  return answer.status === status && codesOf(answer) === code;
};
const isInactive = (answer: Answer): boolean => refusedWith(answer, 403, 'kind.inactive');

/** Whether a record has the parameters of the state, and no others. */
function hasFields(record: unknown, { parameters }: State): boolean {
  return PARAMETERS.every((id) => Object.hasOwn(record as object, id) === parameters.includes(id));
}

const QUESTIONS: readonly ((random: Random, unit: string) => Question)[] = [
  (_, unit) => ({
    request: { method: 'GET', path: `/shape/unit/${unit}` },
    fits: (answer, state) =>
      state.active ? answer.status === 200 && hasFields(answer.body?.content, state) : isInactive(answer),
  }),
  () => ({
    request: { method: 'GET', path: '/shape/unit?limit=2' },
    fits(answer, state) {
      if (!state.active) return isInactive(answer);
      const { items } = (answer.body?.content ?? { items: [] }) as { items: unknown[] };
      return answer.status === 200 && items.length > 0 && items.every((item) => hasFields(item, state));
    },
  }),
  (random) => {
    const id = random.pick(PARAMETERS);
    return {
      request: { method: 'GET', path: `/shape/unit?filter=eq(${id},1)&limit=1&include=id` },
      fits(answer, { active, parameters }) {
        if (!active) return isInactive(answer);
        return parameters.includes(id) ? answer.status === 200 : refusedWith(answer, 400, 'filter.unknown_parameter');
      },
    };
  },
  (random, unit) => {
    const [id, size] = [random.pick(PARAMETERS), random.from(1, 50)];
    return {
      request: { method: 'PUT', path: `/shape/unit/${unit}`, body: { size, [id]: 1 } },
      fits(answer, state) {
        if (!state.active) return isInactive(answer);
        const expected = [
          ...(size > state.max ? ['parameter.too_large'] : []),
          ...(state.parameters.includes(id) ? [] : ['parameter.unknown']),
        ];
        if (expected.length === 0) return answer.status === 200 && hasFields(answer.body?.content, state);
        return answer.status === 400 && codesOf(answer).split(',').sort().join() === expected.sort().join();
      },
    };
  },
  (random) => {
    const id = random.pick(KINDS);
    const body = random.chance(0.5) ? { size: 1 } : undefined;
    return {
      request: { method: body ? 'POST' : 'GET', path: `/${id}/unit`, body },
      fits: (answer, { kinds }) =>
        kinds.includes(id) ? answer.status === 200 : refusedWith(answer, 404, 'kind.unknown'),
    };
  },
  () => ({
    request: { method: 'GET', path: '/shape/struct' },
    fits(answer, state) {
      const { items } = (answer.body?.content ?? { items: [] }) as { items: { id: string }[] };
      const ids = new Set(items.map((each) => each.id));
      return answer.status === 200 && PARAMETERS.every((id) => ids.has(id) === state.parameters.includes(id));
    },
  }),
];

class Changes {
  /** By number; the last one may not be acknowledged yet. */
  readonly states: State[] = [{ parameters: PARAMETERS, max: 40, active: true, kinds: [] }];
  acknowledged = 0;
  readonly faults: string[] = [];
  readonly counts = { changes: 0, answers: 0, refused: 0, 'answers during a change': 0 };
  over = false;

  /** @param wait milliseconds between two questions of a client */
  constructor(
    private readonly random: Random,
    private readonly wait: number | undefined,
  ) {}

  async make(client: Client): Promise<void> {
    const { request, after } = randomChange(this.states[this.acknowledged] as State, this.random);
    this.states.push(after);
    for (;;) {
      const answer = await client.send(request);
      if (answer.status === 200) break;
      if (this.#isBusy(request, answer)) continue;
      // Stored values exceed the new maximum.
      if (isAnswer(answer) && refusedWith(answer, 409, 'parameter.violated')) {
        this.states.pop();
        this.counts.refused += 1;
        return;
      }
      throwFaults([`${request.method} ${request.path} → ${shown(answer)}`, ...this.faults], 'a change');
    }
    this.acknowledged += 1;
    this.counts.changes += 1;
  }

  /** One client, until all changes are made. */
  async ask(client: Client, unit: string, random: Random): Promise<void> {
    while (!this.over) {
      if (this.wait !== undefined) await pause(this.wait);
      const { request, fits } = random.pick(QUESTIONS)(random, unit);
      const from = this.acknowledged;
      const answer = await client.send(request);
      if (this.#isBusy(request, answer)) continue;
      this.counts.answers += 1;
      const possible = this.states.slice(from);
      if (possible.length > 1) this.counts['answers during a change'] += 1;
      if (isAnswer(answer) && possible.some((state) => fits(answer, state))) continue;
      const sent = `${request.method} ${request.path} ${JSON.stringify(request.body ?? '')}`;
      this.faults.push(`${sent} → ${shown(answer)}\n    possible: ${JSON.stringify(possible)}`);
    }
  }

  /** A refusal that says to come back. */
  #isBusy({ method, path }: Sent, answer: Answer | NoAnswer): boolean {
    if (!isAnswer(answer) || answer.status !== 503) return false;
    const fault = refusalFault(answer);
    if (fault !== undefined) this.faults.push(`${method} ${path}: ${fault}`);
    this.counts.refused += 1;
    return true;
  }
}

async function run(options: CampaignOptions): Promise<Figures> {
  const deployment = await Deployment.start(options, { processes: PROCESSES });
  try {
    const random = new Random(options.seed);
    const changes = new Changes(random.branch(), options.pause);
    const definer = deployment.client();
    await definer.ok({ method: 'POST', path: '/kind/unit', body: SHAPE });
    const clients = Array.from({ length: PROCESSES * CLIENTS_EACH }, (_, at) => deployment.client(at % PROCESSES));
    const asking = clients.map(async (client) => {
      const unit = (await definer.ok({ method: 'POST', path: '/shape/unit', body: { size: 1 } })) as { id: string };
      await changes.ask(client, unit.id, random.branch());
    });
    for (let round = 1; round <= options.rounds && changes.faults.length === 0; round += 1) {
      await changes.make(definer);
      if (round % REPORTED === 0) options.say(JSON.stringify(changes.counts));
    }
    changes.over = true;
    await Promise.all(asking);
    throwFaults([...changes.faults, ...deployment.errors()], `seed ${options.seed}`);
    return changes.counts;
  } finally {
    await deployment.stop();
  }
}

const SHAPE = {
  id: 'shape',
  parameters: [
    { id: 'size', kind_id: 'integer', max_value: 40 },
    ...PARAMETERS.map((id) => ({ id, kind_id: 'integer' })),
  ],
};

export const definitions: Campaign = {
  about: 'changes of definitions through one of three processes, while all of them read and write',
  rounds: 2000,
  run,
};
