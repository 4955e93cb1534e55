import { useEffect, useState } from 'react';

/** What waits for a person, if something does: it is called with the answer. */
type Waiting<T> = (answer: T) => void;

/**
 * Lets calls wait until a person has answered. Several may ask at the same time.
 * @param listen takes what asks; the same function each time
 */
export function useAsking<T>(listen: (ask: () => Promise<T>) => void): Waiting<T> | undefined {
  const [waiting, setWaiting] = useState<Waiting<T>>();
  useEffect(() => {
    let asking: Promise<T> | undefined;
    listen(() => {
      asking ??= new Promise<T>((resolve) => {
        setWaiting(() => (answer: T) => {
          asking = undefined;
          setWaiting(undefined);
          resolve(answer);
        });
      });
      return asking;
    });
  }, [listen]);
  return waiting;
}
