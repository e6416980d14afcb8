// Random writes of what hangs on contacts: notes, interactions, transactions, donations, memberships, payments, sanctions, e-mails.
import type { Json } from '../harness/app.ts';
import { drawDay, drawInstant, drawStrangeId, urls } from './draws.ts';
import { Refused, type Relation } from './model.ts';
import { checkSame, type Play, pickContact, pickRecord, planMutation, type Step, setFields, tryStep } from './steps.ts';

const euros = 'EUR';

/** Pinning a note unpins the others of its contact. */
const pin = ({ model }: Play, contact: number, id: number): void => {
  for (const note of model.on('notes', contact)) note.fields.pinned = note.id === id;
};

const createNote = (play: Play): Step => {
  const { model, draw, by } = play;
  const contactId = pickContact(play);
  const pinned = draw.odds(0.4);
  const input = { content: draw.pick(['called', ' as sent ', '']), ...(draw.odds(0.9) && { pinned }) };
  const judge = () => {
    if (input.content === '') throw new Refused(400);
    const contact = model.held(contactId).id;
    return ({ id }: Json) => {
      model.hang('notes', id, contact, { content: input.content, pinned: false, userId: by });
      if (input.pinned) pin(play, contact, id);
      model.touch(contact, by);
    };
  };
  if (draw.odds(0.5)) return planMutation(play, { name: 'createNote', input: { contactId, ...input } }, judge);
  const path = draw.pick([`/v1/contacts/${contactId}/notes`, `/contacts/${contactId}/notes`]);
  return tryStep({ door: 'rest', by, method: 'POST', path, body: { ...input, more: 1 } }, judge);
};

/** A note that lives, and that the caller may change: its author, or who manages. */
const editable = ({ model, ground, by }: Play, id: number) => {
  const note = model.record('notes', id);
  if (by === ground.plain && note.fields.userId !== by) throw new Refused(403);
  return note;
};

const updateNote = (play: Play): Step => {
  const { model, draw, by } = play;
  const id = pickRecord(play, 'notes');
  const input = { ...(draw.odds(0.5) && { content: 'changed' }), ...(draw.odds(0.5) && { pinned: draw.odds(0.6) }) };
  return planMutation(play, { name: 'updateNote', input: { id, ...input } }, () => {
    const note = editable(play, id);
    return () => {
      if (!setFields(note, input, model.now)) return;
      if (input.pinned) pin(play, note.contact, id);
      model.touch(note.contact, by);
    };
  });
};

const deleteNote = (play: Play): Step => {
  const { model, by } = play;
  const id = pickRecord(play, 'notes');
  return planMutation(play, { name: 'deleteNote', input: { id } }, () => {
    const note = editable(play, id);
    return () => {
      note.deleted = true;
      model.touch(note.contact, by);
    };
  });
};

/** What is for superadmins alone is missing for others, and others may not make it so. */
const interacting = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const boss = by === ground.boss;
  const kind = draw.pick(['create', 'create', 'update', 'delete']);
  const input: Json = {
    ...((kind === 'create' || draw.odds(0.5)) && { type: draw.pick(['call', 'visit']) }),
    ...(draw.odds(0.5) && { title: draw.pick(['a title', null]) }),
    ...(draw.odds(0.3) && { onlySuperAdmin: draw.odds(0.5) }),
  };
  const hides = input.onlySuperAdmin === true && !boss;
  if (kind === 'create') {
    const contactId = pickContact(play);
    return planMutation(play, { name: 'createInteraction', input: { contactId, ...input } }, () => {
      if (hides) throw new Refused(403);
      const contact = model.held(contactId).id;
      return ({ id }: Json) => {
        const fields = { title: null, onlySuperAdmin: false, ...input, userId: by };
        model.hang('interactions', id, contact, fields);
        model.touch(contact, by);
      };
    });
  }
  const id = pickRecord(play, 'interactions');
  const found = () => {
    const one = model.record('interactions', id);
    if (one.fields.onlySuperAdmin && !boss) throw new Refused(404);
    return one;
  };
  if (kind === 'update')
    return planMutation(play, { name: 'updateInteraction', input: { id, ...input } }, () => {
      if (hides) throw new Refused(403);
      const one = found();
      return () => {
        if (setFields(one, input, model.now)) model.touch(one.contact, by);
      };
    });
  return planMutation(play, { name: 'deleteInteraction', input: { id } }, () => {
    const one = found();
    return () => {
      one.deleted = true;
      model.touch(one.contact, by);
    };
  });
};

interface Kind {
  relation: Relation;
  type: string;
  /** All that a new one says; a change says some of it. */
  fields(play: Play): Json;
  empty: Json;
}

/** Mostly none, else a transaction, of whomever. */
const paidBy = (play: Play): Json => (play.draw.odds(0.3) ? pickRecord(play, 'transactions') : null);
const amount = ({ draw }: Play): number => draw.pick([100, 9990, 5000, -500, 1]);

const kinds: Kind[] = [
  {
    relation: 'transactions',
    type: 'Transaction',
    fields: (play) => ({
      amount: amount(play),
      date: drawInstant(play.draw),
      codeCampaign: play.draw.pick(['SPRING', null]),
      statusId: play.draw.odds(0.5) ? drawStrangeId(play.draw, play.ground.status) : null,
    }),
    empty: { codeCampaign: null, statusId: null, currency: euros },
  },
  {
    relation: 'donations',
    type: 'Donation',
    fields: (play) => ({
      amount: amount(play),
      transactionDate: drawInstant(play.draw),
      transactionId: paidBy(play),
      donationPriceId: play.draw.odds(0.5) ? drawStrangeId(play.draw, play.ground.donationPrice) : null,
    }),
    empty: { transactionId: null, donationPriceId: null, currency: euros },
  },
  {
    relation: 'memberships',
    type: 'Membership',
    fields: (play) => ({
      amount: amount(play),
      startDate: drawDay(play.draw),
      endDate: play.draw.odds(0.3) ? null : drawDay(play.draw),
      transactionId: paidBy(play),
      membershipPriceId: play.draw.odds(0.5) ? play.ground.membershipPrice : null,
    }),
    empty: { transactionId: null, membershipPriceId: null, endDate: null, currency: euros },
  },
  {
    relation: 'sanctions',
    type: 'Sanction',
    fields: ({ draw }) => ({
      status: draw.pick(['banned', 'warned', null]),
      startDate: draw.odds(0.3) ? null : drawInstant(draw),
      endDate: draw.odds(0.4) ? null : drawInstant(draw),
    }),
    empty: { status: null, startDate: null, endDate: null },
  },
];

/** 400 for an end before its start; 422 for references to what does not live in the space. */
const judgeRecord = ({ model, ground }: Play, whole: Json, sent: Json): void => {
  if (whole.endDate && whole.startDate && whole.endDate < whole.startDate) throw new Refused(400);
  if (sent.transactionId != null) model.record('transactions', sent.transactionId, 422);
  const known = { statusId: ground.status, donationPriceId: ground.donationPrice };
  for (const [name, id] of Object.entries(known)) if (sent[name] != null && sent[name] !== id) throw new Refused(422);
};

const recording = (play: Play): Step => {
  const { model, draw, by } = play;
  const { relation, type, fields, empty } = draw.pick(kinds);
  const all = fields(play);
  const kind = draw.pick(['create', 'create', 'update', 'update', 'delete']);
  if (kind === 'create') {
    const contactId = pickContact(play);
    return planMutation(play, { name: `create${type}`, input: { contactId, ...all }, managers: true }, () => {
      const contact = model.held(contactId).id;
      judgeRecord(play, all, all);
      return ({ id }: Json) => {
        model.hang(relation, id, contact, { ...empty, ...all });
        model.touch(contact, by);
      };
    });
  }
  const id = pickRecord(play, relation);
  if (kind === 'update') {
    const input = Object.fromEntries(draw.some(Object.entries(all), 1 + draw.whole(3)));
    return planMutation(play, { name: `update${type}`, input: { id, ...input }, managers: true }, () => {
      const one = model.record(relation, id);
      const moved = { ...input, ...(input.transactionId === one.fields.transactionId && { transactionId: null }) };
      judgeRecord(play, { ...one.fields, ...input }, moved);
      return () => {
        if (setFields(one, input, model.now)) model.touch(one.contact, by);
      };
    });
  }
  return planMutation(play, { name: `delete${type}`, input: { id }, managers: true }, () => {
    const one = model.record(relation, id);
    return () => {
      one.deleted = true;
      model.touch(one.contact, by);
    };
  });
};

/** A payment touches the payer and those for whom it pays, each once. */
const createPayment = (play: Play): Step => {
  const { model, ground, draw, by } = play;
  const payer = pickContact(play);
  const parts = (of: () => Json): Json[] =>
    Array.from({ length: draw.whole(3) }, () => ({ ...of(), ...(draw.odds(0.6) && { contactId: pickContact(play) }) }));
  const donations = parts(() => ({ amount: draw.pick([100, 500]), donationPriceId: ground.donationPrice }));
  const memberships = parts(() => ({ amount: 1000, startDate: drawDay(draw) }));
  const input = { contactId: payer, amount: draw.pick([5000, 1500]), date: drawInstant(draw), donations, memberships };
  return planMutation(play, { name: 'createPayment', input, managers: true }, () => {
    const sum = [...donations, ...memberships].reduce((total, part) => total + part.amount, 0);
    if (sum > input.amount) throw new Refused(400);
    const meant = (contactId: number = payer): number => model.held(contactId, 422).id;
    const touched = new Set([meant(), ...[...donations, ...memberships].map(({ contactId }) => meant(contactId))]);
    return (data: Json) => {
      const { amount, date } = input;
      const own = { amount, date, codeCampaign: null, statusId: null, currency: euros };
      model.hang('transactions', data.id, meant(), own);
      const pays = { transactionId: data.id, currency: euros };
      for (const [index, { contactId, ...gift }] of donations.entries()) {
        const made = data.donations[index];
        checkSame([made.contactId, made.amount], [meant(contactId), gift.amount], 'donation paid');
        model.hang('donations', made.id, meant(contactId), { ...gift, ...pays, transactionDate: date });
      }
      for (const [index, { contactId, ...fee }] of memberships.entries()) {
        const made = data.memberships[index];
        checkSame([made.contactId, made.startDate], [meant(contactId), fee.startDate], 'membership paid');
        model.hang('memberships', made.id, meant(contactId), {
          ...fee,
          ...pays,
          endDate: null,
          membershipPriceId: null,
        });
      }
      for (const id of touched) model.touch(id, by);
    };
  });
};

/** E-mails and their events change no contact. */
const recordEmail = (play: Play): Step => {
  const { model, ground, draw } = play;
  const input = Array.from({ length: 1 + draw.whole(2) }, () => ({
    contactId: pickContact(play),
    campaignId: drawStrangeId(draw, draw.pick(ground.campaigns)),
    type: draw.pick(['mailing', null]),
  }));
  return planMutation(play, { name: 'recordEmails', input: { emails: input }, managers: true }, () => {
    const contacts = input.map(({ contactId }) => model.held(contactId, 422).id);
    if (input.some(({ campaignId }) => !ground.campaigns.includes(campaignId))) throw new Refused(422);
    return (made: Json[]) => {
      for (const [index, { contactId: _, ...fields }] of input.entries())
        model.hang('emails', made[index].id, contacts[index]!, { ...fields, clickedUrls: [], ...noEvents });
    };
  });
};

const places: Record<string, [field: string, latest: boolean]> = {
  DELIVERED: ['deliveredAt', false],
  OPENED: ['openedAt', true],
  CLICKED: ['clickedAt', true],
  BOUNCED: ['bouncedAt', false],
  UNSUBSCRIBED: ['unsubscribedAt', false],
};
const noEvents = Object.fromEntries(Object.values(places).map(([field]) => [field, null]));

const emailEvents = (play: Play): Step => {
  const { model, draw } = play;
  const input = Array.from({ length: 1 + draw.whole(5) }, () => {
    const kind = draw.pick(Object.keys(places));
    const url = kind === 'CLICKED' && draw.odds(0.7) ? { url: draw.pick(urls) } : {};
    return { emailId: pickRecord(play, 'emails'), kind, at: drawInstant(draw), ...url };
  });
  return planMutation(play, { name: 'recordEmailEvents', input: { events: input }, managers: true }, () => {
    const emails = new Map(input.map(({ emailId }) => [emailId, model.record('emails', emailId, 422)]));
    return ({ changed }: Json) => {
      const before = new Map([...emails].map(([id, { fields }]) => [id, JSON.stringify(fields)]));
      for (const { emailId, kind, at, url } of [...input].sort((one, other) => (one.at < other.at ? -1 : 1))) {
        const { fields } = emails.get(emailId)!;
        const [field, latest] = places[kind]!;
        if (fields[field] === null || (latest ? at > fields[field] : at < fields[field])) fields[field] = at;
        if (url && !fields.clickedUrls.includes(url)) fields.clickedUrls = [...fields.clickedUrls, url];
      }
      const different = [...emails].filter(([id, { fields }]) => JSON.stringify(fields) !== before.get(id));
      checkSame(changed, different.length, 'e-mails changed');
    };
  });
};

export const recordSteps: [weight: number, draw: (play: Play) => Step][] = [
  [6, createNote],
  [4, updateNote],
  [2, deleteNote],
  [5, interacting],
  [14, recording],
  [3, createPayment],
  [3, recordEmail],
  [5, emailEvents],
];
