import { useEffect, useRef, type RefObject } from 'react';

/** Pictures of the browser until a fault is shown at last. */
const MOST_FRAMES = 30;

/**
 * Moves the focus to the first fault that is shown in an element, after something was refused there.
 * @param refusal another object for each refusal; undefined if nothing is refused
 */
export function useFaultFocus<E extends HTMLElement = HTMLDivElement>(
  refusal: object | undefined,
): RefObject<E | null> {
  const place = useRef<E>(null);
  useEffect(() => {
    if (!refusal) return undefined;
    let frames = 0;
    let frame = 0;
    const look = (): void => {
      const fault = place.current?.querySelector<HTMLElement>('[aria-invalid=true], [role=alert]');
      frames += 1;
      if (fault) focusOn(fault);
      else if (frames < MOST_FRAMES) frame = requestAnimationFrame(look);
    };
    frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [refusal]);
  return place;
}

function focusOn(fault: HTMLElement): void {
  if (fault.role === 'alert') fault.tabIndex = -1;
  fault.focus();
}
