/** Whether the operator has said that model files alone change the model. Known to administrators. */
import { useQuery } from '@tanstack/react-query';
import { getSettings } from '../api/settings.js';
import { useRights } from '../shell/use-rights.js';

export function useLockedModel(): boolean {
  const { administrator } = useRights();
  const { data } = useQuery({
    queryKey: ['locked model'],
    queryFn: getSettings,
    enabled: administrator === true,
    staleTime: 30_000,
  });
  return data?.['model'] === 'locked';
}
