// Templates and campaigns over GraphQL: what is stored, what is refused, and which roles may write them.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createRoleToken, fetchRefusal, runMutation } from './writing.ts';

let door: Door;
let manager: string;
let foreign: Json;

beforeAll(async () => {
  door = await openApp();
  manager = await createRoleToken(door, 'manager');
  [foreign] = await door.sql(
    `select (select min(id) from campaigns where group_id = 2) as campaign, (select min(id) from templates where group_id = 2) as template`,
  );
});

describe('templates and campaigns', () => {
  it('are created, changed, listed and deleted', async () => {
    const template = await runMutation(door, 'createTemplate', { name: 'Letter' }, manager);
    const input = {
      name: 'Spring',
      templateId: template.id,
      subject: 'Hello',
      sender: 'us@example.org',
      goal: 'Donations',
      isSuccessful: false,
      performanceRating: 100,
      sentAt: '2026-03-01T09:00:00.5+01:00',
    };
    const campaign = await runMutation(door, 'createCampaign', input, manager);
    expect(campaign).toMatchObject({ ...input, sentAt: '2026-03-01T08:00:00.5Z' });
    const changed = await runMutation(door, 'updateCampaign', { id: campaign.id, goal: null, performanceRating: 0 });
    expect(changed).toEqual({ ...campaign, goal: null, performanceRating: 0, updatedAt: changed.updatedAt });
    expect(await runMutation(door, 'updateTemplate', { id: template.id, name: 'Note' })).toMatchObject({
      name: 'Note',
    });
    const listed = async (list: string): Promise<number[]> =>
      (await door.graphql(`{ ${list}(first: 1000) { nodes { id: databaseId } } }`, {}, manager)).body.data[
        list
      ].nodes.map(({ id }: Json) => id);
    for (const [list, name, id] of [
      ['templates', 'deleteTemplate', template.id],
      ['campaigns', 'deleteCampaign', campaign.id],
    ] as [string, string, number][]) {
      expect(await listed(list)).toContain(id);
      await runMutation(door, name, { id }, manager);
      expect(await listed(list)).not.toContain(id);
      expect((await fetchRefusal(door, name, { id })).code).toBe('not-found');
    }
  });

  it('are refused with the place when they break a rule', async () => {
    const deleted = await runMutation(door, 'createTemplate', { name: 'Gone' });
    await runMutation(door, 'deleteTemplate', { id: deleted.id });
    for (const [name, args, fault] of [
      ['createTemplate', { name: '' }, 'input.name must not be blank'],
      ['updateTemplate', { id: 1, name: null }, 'input.name must not be null'],
      ['createCampaign', { name: 'x', performanceRating: 101 }, 'input.performanceRating must be from 0 to 100'],
      ['createCampaign', { name: 'x', performanceRating: -1 }, 'input.performanceRating must be from 0 to 100'],
      ['createCampaign', { name: 'x', subject: 'x'.repeat(256) }, 'input.subject must be at most 255 characters'],
      ...[foreign.template, deleted.id, 987_654_321].map((templateId) => [
        'createCampaign',
        { name: 'x', templateId },
        'input.templateId is not a template of the space',
      ]),
    ] as [string, Json, string][])
      expect([name, (await fetchRefusal(door, name, args)).faults]).toEqual([name, [fault]]);
    for (const [name, id] of [
      ['updateTemplate', foreign.template],
      ['updateCampaign', foreign.campaign],
    ])
      expect((await fetchRefusal(door, name, { id, name: 'x' })).code).toBe('not-found');
  });

  it('can be written by managers only, and so can e-mails', async () => {
    const user = await createRoleToken(door, 'user');
    const input = { name: 'x' };
    for (const [name, args] of [
      ['templates', {}],
      ['campaigns', {}],
      ['createTemplate', input],
      ['updateTemplate', { id: 1, ...input }],
      ['deleteTemplate', { id: 1 }],
      ['createCampaign', input],
      ['updateCampaign', { id: 1, ...input }],
      ['deleteCampaign', { id: 1 }],
      ['recordEmails', { emails: [{ contactId: 1 }] }],
      ['recordEmailEvents', { events: [{ emailId: 1, kind: 'OPENED', at: '2026-01-01T00:00:00Z' }] }],
    ] as [string, Json][])
      expect([name, (await fetchRefusal(door, name, args, user)).code]).toEqual([name, 'forbidden']);
  });
});
