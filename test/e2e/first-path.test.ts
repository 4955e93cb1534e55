import { describe, expect, it } from 'vitest';
import { sharedService } from '../support/service.js';

const service = await sharedService();
const project = await service.project();

describe('the shortest path', () => {
  it('defines a kind, stores a unit and finds it again', async () => {
    const kind = { id: 'city', label: 'City', parameters: [{ id: 'name', kind_id: 'string', required: true }] };
    expect(await project.post('/kind/unit', kind)).toMatchObject({
      status: 200,
      body: { content: { id: 'city', parameters: ['name'] } },
    });
    const made = await project.post('/city/unit', { name: 'Rome' });
    expect(made).toMatchObject({ status: 200, body: { content: { kind_id: 'city', name: 'Rome' }, messages: [] } });
    const id = made.body.content.id as string;
    expect(await project.get(`/city/unit/${id}`)).toMatchObject({
      status: 200,
      body: { content: { id, name: 'Rome' } },
    });
    expect(await project.get('/city/unit?filter=eq(name,Rome)')).toMatchObject({
      body: { content: { count: 1, items: [{ id }] } },
    });
    expect(await project.statements(() => project.get('/city/unit?filter=eq(name,Rome)'))).toBe(1);
  });
});
