/** What the member that is signed in may do, so that nothing is offered that would be refused. The service decides. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { getRights, type Right, type ToldOperation } from '../api/rights.js';
import { session } from '../api/session.js';
import { useText } from '../i18n/text.js';
import { useMe } from './use-me.js';

export interface Rights {
  /** Undefined as long as it is not known. */
  readonly administrator: boolean | undefined;
  /** Whether it is asked for the first time. */
  readonly isPending: boolean;
  /** As long as it is not known, everything is offered. */
  readonly to: (operation: ToldOperation, kind: string) => Right;
  /** Whether there is something that the member may do with a kind. */
  readonly toAny: (kind: string) => boolean;
  /** The fields of a kind that the member may read and not set. */
  readonly readOnly: (kind: string) => ReadonlySet<string>;
}

const RIGHTS = ['rights'];
const NO_FIELDS: ReadonlySet<string> = new Set();

export function rightsQuery() {
  return { queryKey: RIGHTS, queryFn: getRights, staleTime: 30_000 };
}

export function useRights(): Rights {
  const { data, isPending } = useQuery(rightsQuery());
  return useMemo(() => {
    const kinds = new Map(data?.kinds.map((rights) => [rights.id, rights]));
    const fields = new Map(data?.kinds.map(({ id, read_only: ids }) => [id, new Set(ids)]));
    return {
      administrator: data?.administrator,
      isPending,
      to: (operation, kind) => (data ? (kinds.get(kind)?.[operation] ?? 'none') : 'all'),
      toAny: (kind) => !data || kinds.has(kind),
      readOnly: (kind) => fields.get(kind) ?? NO_FIELDS,
    };
  }, [data, isPending]);
}

export type WhyNot = (
  operation: Exclude<ToldOperation, 'link' | 'history'>,
  kind: string,
  label: string,
) => string | undefined;

/** Why the member may not do something with any unit of a kind; undefined if it may, with some at least. */
export function useWhyNot(): WhyNot {
  const text = useText();
  const { to } = useRights();
  return useCallback(
    (operation, kind, label) =>
      to(operation, kind) === 'none' ? text(`rights.no_${operation}`, { kind: label }) : undefined,
    [to, text],
  );
}

/** Asks for the rights again when the service refuses something, and for everything when somebody else has signed in. */
export function useCurrentRights(): void {
  const queries = useQueryClient();
  useEffect(() => {
    session.onDenied(() => void queries.invalidateQueries({ queryKey: RIGHTS }));
    session.onSignIn(() => {
      for (const queryKey of [RIGHTS, ['me']]) void queries.invalidateQueries({ queryKey });
    });
  }, [queries]);
  const { data: me } = useMe();
  const last = useRef(me?.id);
  useEffect(() => {
    const isOther = last.current !== undefined && me !== undefined && last.current !== me.id;
    last.current = me?.id ?? last.current;
    // A unit whose form is open stays, with what is typed: it is read again when it is saved.
    if (isOther)
      void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'unit' && name !== 'me' });
  }, [me, queries]);
}
