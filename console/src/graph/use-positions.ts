/** The positions of boxes, from a thread of its own. */
import { useEffect, useState } from 'react';
import { inRows, type Drawing, type Positions } from './layout.js';

/** Drawings that take longer are shown as rows. */
const MOST_MS = 8000;

interface Placed {
  readonly drawing: Drawing;
  readonly positions: Positions;
}

/** Undefined until they are known; meanwhile those of the drawing before. */
export function usePositions(drawing: Drawing): Placed | undefined {
  const [placed, setPlaced] = useState<Placed>();
  useEffect(() => {
    const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    const asRows = (): void => {
      worker.terminate();
      setPlaced({ drawing, positions: inRows(drawing.boxes) });
    };
    const timer = setTimeout(asRows, MOST_MS);
    worker.onmessage = ({ data }: MessageEvent<Positions>) => {
      clearTimeout(timer);
      setPlaced({ drawing, positions: data });
    };
    worker.onerror = asRows;
    worker.postMessage(drawing);
    return () => {
      clearTimeout(timer);
      worker.terminate();
    };
  }, [drawing]);
  return placed;
}
