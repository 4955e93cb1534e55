import { useEffect, useState } from 'react';
import { arrivalFor, endArrival, type Arrival, type Purpose } from '../api/providers.js';

/** What an identity provider has led back with; undefined when the page is shown another time. */
export function useArrival(purpose: Purpose): Arrival | undefined {
  const [arrival] = useState(() => arrivalFor(purpose));
  useEffect(() => {
    if (arrival) endArrival(arrival);
  }, [arrival]);
  return arrival;
}
