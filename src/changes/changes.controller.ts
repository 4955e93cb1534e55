import { Controller, Get, Req, UseInterceptors } from '@nestjs/common';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { CHANGES_QUERY } from '../http/route/query-names.js';
import { reading, type Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import type { Session } from '../catalog/session/session.js';
import { CallerResolver } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { KindError, retryLater } from '../shared/errors.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import type { FeedPosition } from './feed-cursor.js';
import { authorizeFeed, planFeed } from './feed.plan.js';
import { parseFeedQuery } from './feed.query.js';
import { type FeedPage, FeedReader } from './feed.reader.js';
import { waitingOwner } from './waiting/waiting-owner.js';
import { Waiting } from './waiting/waiting.js';

@Controller('api/lib/changes')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class ChangesController {
  constructor(
    private readonly feed: FeedReader,
    private readonly waiting: Waiting,
    private readonly callers: CallerResolver,
  ) {}

  @Get()
  @ApiRoute({
    id: 'changes',
    tag: 'Changes',
    summary: 'Read what has changed',
    description:
      'Changes of units and links that you may see, in an order that stays. Read on from the `next` of each answer: nothing is missing, and nothing comes twice.',
    needs: 'access',
    query: CHANGES_QUERY,
    content: 'changes',
    alone: true,
    refuses: [410, 429],
  })
  read(@Req() request: HttpRequest): Command {
    const parsed = parseFeedQuery(request.url);
    const started = performance.now();
    // A newer model, with which it begins again, does not lose what it has passed over.
    let from: FeedPosition | undefined;
    return reading((opened) => {
      const kinds = authorizeFeed(opened, parsed.query.kinds);
      return {
        checked: true,
        run: async (session) => {
          const plan = planFeed(session, kinds, parsed);
          const until = started + plan.query.wait;
          const read = async (): Promise<FeedPage> => {
            for (;;) {
              const page = await this.feed.read(session, plan, from);
              from = page.next;
              if (!page.more || isAnswer(page, until)) return page;
            }
          };
          const first = await read();
          const page = isAnswer(first, until) ? first : await this.#wait(session, { request, until, read });
          return this.feed.answer(session, page);
        },
      };
    });
  }

  /** Reads again when something was written, until there is an answer or the token has ended. */
  #wait({ project, caller }: Session, { request, until, read }: WaitingRead): Promise<FeedPage> {
    const gone = new AbortController();
    request.res?.once('close', () => gone.abort());
    return this.waiting.run(project.schema, waitingOwner(caller, request), async (wait) => {
      for (;;) {
        const page = await read();
        if (isAnswer(page, until)) return page;
        await wait(until - performance.now(), gone.signal);
        if (gone.signal.aborted || this.waiting.stopped) throw retryLater('server.stopping', 'The service stops');
        if (caller.type !== 'anonymous' && (await this.#hasEnded(request, project))) return page;
      }
    });
  }

  /** Whether the token of a request is no longer valid. */
  async #hasEnded(request: HttpRequest, project: Project): Promise<boolean> {
    try {
      await this.callers.resolve(request, project);
      return false;
    } catch (error) {
      if (error instanceof KindError && error.status === 401) return true;
      throw error;
    }
  }
}

interface WaitingRead {
  readonly request: HttpRequest;
  /** As `performance.now()` tells it. */
  readonly until: number;
  readonly read: () => Promise<FeedPage>;
}

/** Whether there is something to answer, or no more time. */
function isAnswer({ items }: FeedPage, until: number): boolean {
  return items.length > 0 || performance.now() >= until;
}
