import { useQuery } from '@tanstack/react-query';
import { listFunctions } from '../api/functions.js';

export function useFunctions() {
  // A module may have been changed in the meantime.
  return useQuery({ queryKey: ['functions'], queryFn: listFunctions, retry: false });
}
