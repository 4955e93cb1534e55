/** The parameters of the address, which have all that is chosen on a page, so that it can be sent. */
import { useCallback, useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';

interface ChangeOptions {
  /** Whether the entry of the history is replaced. */
  readonly replace?: boolean;
  /** A parameter whose empty value is a choice too; others are removed. */
  readonly keeps?: string;
}

export type ChangeAddress = (values: Readonly<Record<string, string>>, options?: ChangeOptions) => void;

/** Like `useSearchParams`. A change may follow before the address has the one before it: none of them is lost. */
export function useAddress(): readonly [URLSearchParams, ChangeAddress] {
  const [parameters, setParameters] = useSearchParams();
  /** The parameters after all changes, and the texts of those that the address does not have yet. */
  const latest = useRef(parameters);
  const awaited = useRef<readonly string[]>([]);
  useEffect(() => {
    const arrived = awaited.current.indexOf(parameters.toString());
    awaited.current = arrived < 0 ? [] : awaited.current.slice(arrived + 1);
    if (awaited.current.length === 0) latest.current = parameters;
  }, [parameters]);
  const change = useCallback<ChangeAddress>(
    (values, { keeps, ...options } = {}) => {
      const next = new URLSearchParams(latest.current);
      for (const [name, value] of Object.entries(values)) {
        if (value === '' && name !== keeps) next.delete(name);
        else next.set(name, value);
      }
      latest.current = next;
      awaited.current = [...awaited.current, next.toString()];
      setParameters(next, options);
    },
    [setParameters],
  );
  return [parameters, change];
}
