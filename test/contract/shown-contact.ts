// Changes of every contact field that responses contain.
import { runMutation } from '../graphql/writing.ts';
import type { Door, Json } from '../harness/app.ts';
import {
  addPrefix,
  addressTexts,
  born,
  type Change,
  createShownContact,
  type Ground,
  type Kind,
  key,
  mapFields,
} from './shown-ground.ts';

export const defineContactKind = (at: { door: Door }): Kind => {
  const editContact =
    (input: Json): Change =>
    ({ id }) =>
      runMutation(at.door, 'updateContact', { id, ...input });
  const columns: Json = {
    firstName: 'x',
    lastName: 'x',
    marriedName: 'x',
    gender: 'F',
    birthDate: '1980-02-29',
    ageCategory: 3,
    birthDepartment: '69',
    birthCity: 'x',
    birthCountry: 'FR',
    nationality: 'FR',
    email: 'x@example.org',
    phone: '+33400000000',
    mobile: '+33600000000',
    optedOut: true,
    phoneInvalid: true,
    mobileInvalid: true,
    externalId: 'x-1',
  };
  const editAddress = (address: Json): Change => editContact({ address });
  const deleteForm =
    (of: 'form' | 'custom'): Change =>
    (ground) =>
      runMutation(at.door, 'deleteForm', { id: ground[of] });
  const answered = (list: 'answers' | 'customFields', of: 'form' | 'custom'): Kind['fields'] => {
    const edit =
      (change: Json): Change =>
      (ground) => {
        const optionId = ground[of === 'form' ? 'ref' : 'customRef'];
        return editContact({ [list]: [{ formId: ground[of], optionId, ...change }] })(ground);
      };
    return addPrefix(list === 'answers' ? 'answerList' : list, {
      ...mapFields(['databaseId', 'formId', 'formRefId', 'groupId', 'contactId', 'createdAt'], () => deleteForm(of)),
      ...mapFields(['text', 'updatedAt'], () => edit({ text: 'no' })),
      answeredAt: edit({ answeredAt: '2026-02-02T00:00:00Z' }),
      ...(of === 'form' && { surveyId: edit({ surveyId: 7 }) }),
    });
  };
  const deleteNote: Change = ({ note }) => runMutation(at.door, 'deleteNote', { id: note });
  const editNote =
    (input: Json, of = 'note'): Change =>
    (ground) =>
      runMutation(at.door, 'updateNote', { id: ground[of], ...input });
  const noteOfAnother: Change = async ({ id }) => {
    const [{ user }] = await at.door.sql('select max(user_id) as user from members where group_id = 1');
    await runMutation(
      at.door,
      'createNote',
      { contactId: id, content: 'theirs', pinned: true },
      await at.door.token(1, user),
    );
  };
  const updateTag =
    (input: (ground: Ground) => Json): Change =>
    (ground) =>
      runMutation(at.door, 'updateTag', { id: ground.tag, ...input(ground) });

  return {
    make: createShownContact,
    replies: { ContactById: ({ id }) => `/v1/contacts/${id}`, ContactAsFound: ({ id }) => `/contacts/${id}` },
    record: (body) => body.data?.contact ?? body,
    fields: {
      databaseId: key,
      groupId: key,
      createdAt: born,
      ...Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, editContact({ [name]: value })])),
      ...mapFields(['lastChangedAt', 'updatedAt'], () => editContact({ firstName: 'y' })),
      ...addPrefix('address', {
        ...mapFields([...addressTexts, 'cityCode', 'details'], (name) => editAddress({ [name]: '12.5' })),
        ...mapFields(['latitude', 'longitude', 'score'], (name) => editAddress({ [name]: 1.5 })),
        invalidReason: editAddress({ invalidReason: 'npai' }),
        databaseId: async (ground) => {
          await editContact({ address: null })(ground);
          await editAddress({ city: 'Lyon' })(ground);
        },
      }),
      'tags.name': updateTag(({ tag }) => ({ name: `renamed ${tag}` })),
      'tags.color': updateTag(() => ({ color: null })),
      actionIds: ({ action }) => runMutation(at.door, 'deleteAction', { id: action }),
      ...answered('answers', 'form'),
      ...answered('customFields', 'custom'),
      ...addPrefix('note', {
        ...mapFields(['databaseId', 'createdAt', 'updatedAt'], () => deleteNote),
        groupId: key,
        contactId: key,
        userId: noteOfAnother,
        content: editNote({ content: 'edited' }),
        pinned: editNote({ pinned: false }),
      }),
    },
    more: {
      'a deleted tag': ['tags', ({ tag }) => runMutation(at.door, 'deleteTag', { id: tag })],
      'a new tag on the contact': [
        'tags',
        ({ id }) => runMutation(at.door, 'tagContacts', { contactIds: [id], tags: ['put on'] }),
      ],
      'a removed link to an action': [
        'actionIds',
        ({ id, action }) => runMutation(at.door, 'unlinkAction', { actionId: action, contactIds: [id] }),
      ],
      'another pinned note': ['note', editNote({ pinned: true }, 'older')],
      'a new note': [
        'note',
        ({ id }) => at.door.rest('POST', `/v1/contacts/${id}/notes`, { content: 'x', pinned: true }),
      ],
      'the label of a form, which exports contain': [
        null,
        ({ form }) => runMutation(at.door, 'updateForm', { id: form, label: `Label ${form}` }),
      ],
      'the label of a reference value, which exports contain': [
        null,
        ({ form, ref }) => runMutation(at.door, 'updateForm', { id: form, options: [{ id: ref, label: 'renamed' }] }),
      ],
      'an interaction, which searches contain': [
        null,
        ({ id }) => runMutation(at.door, 'createInteraction', { contactId: id, type: 'call' }),
      ],
      'a file of an interaction': [
        null,
        async ({ id }) => {
          const [{ id: interaction }] = await at.door.sql(
            `insert into interactions (group_id, contact_id, type) values (1, ?, 'call') returning id`,
            [id],
          );
          await runMutation(at.door, 'addFile', { interactionId: interaction, name: 'a file', url: '/files/1' });
        },
      ],
      'a restored contact': [
        'lastChangedAt',
        async ({ id }) => {
          await runMutation(at.door, 'deleteContact', { id });
          await runMutation(at.door, 'restoreContact', { id });
        },
      ],
    },
    unseen: {
      'another tag': async () => {
        const { id } = await runMutation(at.door, 'createTag', { name: `unseen ${Math.random()}` });
        await runMutation(at.door, 'updateTag', { id, color: 'blue' });
        await runMutation(at.door, 'deleteTag', { id });
      },
      'the name of an action': ({ action }) => runMutation(at.door, 'updateAction', { id: action, name: 'renamed' }),
      'the same name and colour of a tag': async ({ tag }) => {
        const [{ name, color }] = await at.door.sql('select name, color from tags where group_id = 1 and id = ?', [
          tag,
        ]);
        await runMutation(at.door, 'updateTag', { id: tag, name, color });
      },
      'another form': async () => {
        const { id } = await runMutation(at.door, 'createForm', {
          label: `unseen ${Math.random()}`,
          kind: 'SURVEY',
          type: 'TEXT',
        });
        await runMutation(at.door, 'updateForm', { id, label: `seen by nobody ${id}` });
        await runMutation(at.door, 'deleteForm', { id });
      },
    },
  };
};
