// A space in memory: what its contacts and what hangs on them must be after each write, from the words of the contract and of the schema alone.
import type { Json } from '../harness/app.ts';
import { foldText } from '../search/oracle-text.ts';
import type { Form, Ground } from './ground.ts';

export interface Answer {
  /** Known once it was read. */
  id?: number;
  form: Form;
  ref: number;
  data: string | null;
  date: string | null;
  survey: number | null;
  /** When it was last written, as the number of the write. */
  at: number;
}

export interface Person {
  id: number;
  /** Fields by their names in the graph; one that is not there has no value. */
  fields: Record<string, Json>;
  address: Record<string, Json> | null;
  tags: Set<string>;
  actions: Set<number>;
  answers: Answer[];
  /** Mails that upserts and merges replaced. */
  formerMails: string[];
  version: number;
  by: number;
  deleted: boolean;
  mergedInto: number | null;
}

export const relations = [
  ...(['notes', 'interactions', 'transactions', 'donations', 'memberships', 'emails', 'sanctions'] as const),
];
export type Relation = (typeof relations)[number];

/** What hangs on a contact by its id alone; `fields` are those of the graph. */
export interface Hung {
  id: number;
  contact: number;
  deleted: boolean;
  fields: Record<string, Json>;
  at: number;
}

export const flags = ['phoneInvalid', 'mobileInvalid', 'blackList'];
export const texts = [
  'externalId',
  'firstname',
  'surname',
  'marriedName',
  'birthCity',
  'birthCountry',
  'birthDept',
  'nationality',
  'mail',
  'phone',
  'mobile',
];
export const fieldNames = [...texts, 'gender', 'birthdate', 'ageCategory', ...flags];
export const partNames = [
  'addition',
  'building',
  'city',
  'citycode',
  'country',
  'county',
  'door',
  'floor',
  'houseNumber',
  'infos',
  'invalid',
  'location',
  'pollingStation',
  'postalCode',
  'state',
  'street',
  'latitude',
  'longitude',
  'score',
];

/** Why a write is refused, as a status. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`refused with ${status}`);
    this.status = status;
  }
}

export class Model {
  readonly persons = new Map<number, Person>();
  readonly hung: Record<Relation, Map<number, Hung>>;
  /** The colours of tags, which are given when they are made; one that is not known is undefined. */
  readonly tags = new Map<string, string | null | undefined>();
  readonly #optedOut = new Set<string>();
  /** The number of the write that is under way. */
  now = 0;

  readonly ground: Ground;

  constructor(ground: Ground) {
    this.ground = ground;
    this.hung = Object.fromEntries(relations.map((relation) => [relation, new Map()])) as typeof this.hung;
  }

  living(): Person[] {
    return [...this.persons.values()].filter(({ deleted }) => !deleted).sort((one, other) => one.id - other.id);
  }

  /** The contact that lives under this very id, or the refusal. */
  livingUnder(id: number, status = 404): Person {
    const person = this.persons.get(id);
    if (!person || person.deleted) throw new Refused(status);
    return person;
  }

  /** The contact that a write means, or the refusal: of one that was merged away the survivor. */
  held(id: number, status = 404): Person {
    const person = this.read(id);
    if (!person) throw new Refused(status);
    return person;
  }

  /** What tells that a person who opted out and was deleted is there again. */
  #keysOf({ mail, phone, mobile }: Record<string, Json>): string[] {
    const numbers = [phone, mobile].flatMap((one) => /\d{6,9}$/.exec(String(one ?? '').replace(/\D/g, ''))?.[0] ?? []);
    return [...(mail ? [foldText(mail)] : []), ...numbers];
  }

  keepOptOut({ fields }: Person): void {
    if (fields.blackList) for (const key of this.#keysOf(fields)) this.#optedOut.add(key);
  }

  liftOptOut(fields: Record<string, Json>): void {
    for (const key of this.#keysOf(fields)) this.#optedOut.delete(key);
  }

  isOptedOut(fields: Record<string, Json>): boolean {
    return this.#keysOf(fields).some((key) => this.#optedOut.has(key));
  }

  /** Who answers to an id: of one that was merged away the survivor. */
  read(id: number): Person | undefined {
    const person = this.persons.get(id);
    const meant = person?.mergedInto != null ? this.persons.get(person.mergedInto) : person;
    return meant && !meant.deleted ? meant : undefined;
  }

  /** The record that lives, on a contact that lives, or the refusal. */
  record(relation: Relation, id: number, status = 404): Hung {
    const record = this.hung[relation].get(id);
    if (!record || record.deleted || this.persons.get(record.contact)?.deleted !== false) throw new Refused(status);
    return record;
  }

  on(relation: Relation, contact: number): Hung[] {
    return [...this.hung[relation].values()]
      .filter((record) => record.contact === contact && !record.deleted)
      .sort((one, other) => one.id - other.id);
  }

  /** A change of a contact by a user, in itself or in what is on it. */
  touch(contact: number, by: number): void {
    const person = this.persons.get(contact)!;
    person.version++;
    person.by = by;
  }

  hang(relation: Relation, id: number, contact: number, fields: Record<string, Json>): Hung {
    const record = { id, contact, deleted: false, fields, at: this.now };
    this.hung[relation].set(id, record);
    return record;
  }

  /** 409 when another living contact has this external id. */
  requireFree(externalId: Json, self?: number): void {
    if (externalId == null) return;
    if (this.living().some(({ id, fields }) => id !== self && fields.externalId === externalId)) throw new Refused(409);
  }

  /** The tag that a name means: that of the very name, else the one that is the same when it is folded. A new one is known from now on. */
  meanTag(sent: string, color?: string | null): string {
    const name = sent.trim();
    const known = this.tags.has(name) ? name : [...this.tags.keys()].find((one) => foldText(one) === foldText(name));
    if (known === undefined) this.tags.set(name, color);
    return known ?? name;
  }

  form(id: number): Form | undefined {
    return this.ground.forms.find((form) => form.id === id);
  }
}

/** A field has a value unless it is missing or the empty text. */
export const hasValue = (value: Json): boolean => value != null && value !== '';
