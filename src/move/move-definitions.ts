// Moves the lists of a source: forms with their options, actions, prices, statuses and teams. Contacts are translated by the ids that they get.

import { type DefinitionKind, writeDefinition, writeMovedTeam } from '../data/move/definitions.ts';
import { findMembersByMail } from '../data/move/run.ts';
import type { MoveRun } from '../data/move/source-ids.ts';
import type { Space } from '../database/space.ts';
import { createCacheKey } from '../limits/cache-key.ts';
import { Problem } from '../problem.ts';
import type { MoveReport, ReportKind } from './move-report.ts';
import type { Translation } from './read-contact.ts';
import {
  type ReadDefinition,
  readAction,
  readForm,
  readMail,
  readMembershipPrices,
  readOptions,
  readPrice,
  readPriceGroup,
  readTeam,
  readTransactionStatus,
} from './read-definitions.ts';
import { getItems, readId } from './read-value.ts';
import { type ListName, listNames, type Source, type SourceRecord } from './source.ts';

const listTitles: Record<ListName, string> = {
  forms: 'forms',
  priceGroups: 'membership price groups',
  donationPrices: 'donation prices',
  transactionStatuses: 'transaction statuses',
  users: 'users',
  teams: 'teams',
};

/** Reads all lists of a source, and returns what writes them. A list that the source does not have is noted, and empty. */
export const readDefinitions = async (source: Source, report: MoveReport) => {
  const lists = {} as Record<ListName, SourceRecord[]>;
  for (const name of listNames) {
    const list = await source.readList(name);
    if (!list) report.note(`the source has no list of ${listTitles[name]}`);
    lists[name] = list ?? [];
  }
  let counting = true;
  const forms = new Map<number, number>();
  const options = new Map<string, number>();
  let actions = new Map<number, number>();
  let users = new Map<number, number>();
  /** Actions that were counted: a dry run writes them for each page. */
  const counted = new Set<number>();

  /** Reports a record that the database refuses. Throws what is no fault of a record. */
  const reject = (kind: ReportKind, record: SourceRecord, error: unknown, counts: boolean): void => {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const { errors, message } = error;
    if (counts) report.reject(kind, record, errors ?? [{ location: 'record', message }]);
  };

  /** The id of the record here, null when it has none. */
  const writeOne = async (
    space: Space,
    run: MoveRun,
    [kind, title]: readonly [DefinitionKind, ReportKind],
    record: SourceRecord,
    read: ReadDefinition,
    counts = counting,
  ): Promise<number | null> => {
    if ('faults' in read) {
      if (counts) report.reject(title, record, read.faults);
      return null;
    }
    try {
      const { id, outcome } = await writeDefinition(space, run, kind, read);
      if (counts) report.count(title, outcome);
      return id;
    } catch (error) {
      reject(title, record, error, counts);
      return null;
    }
  };

  const writeForm = async (space: Space, run: MoveRun, form: SourceRecord): Promise<void> => {
    const sourceId = readId(form.id);
    const formId = await writeOne(space, run, ['form', 'forms'], form, readForm(form));
    if (formId === null || sourceId === undefined) return;
    forms.set(sourceId, formId);
    for (const option of readOptions(form, formId)) {
      const id = await writeOne(space, run, ['option', 'options'], form, option);
      if (id !== null && 'sourceId' in option) options.set(createCacheKey(formId, option.sourceId), id);
    }
  };

  const findUsers = async (space: Space): Promise<void> => {
    const mails = new Map<number, string>();
    for (const user of lists.users) {
      const [id, mail] = [readId(user.id), readMail(user)];
      if (id !== undefined && mail !== undefined) mails.set(id, mail);
    }
    const members = await findMembersByMail(space, [...mails.values()]);
    users = new Map([...mails].flatMap(([id, mail]) => (members.has(mail) ? [[id, members.get(mail)!]] : [])));
    if (!counting) return;
    const strangers = [...mails.values()].filter((mail) => !members.has(mail));
    if (strangers.length > 0) report.note(describeStrangers(strangers));
  };

  const writeTeam = async (space: Space, run: MoveRun, team: SourceRecord): Promise<void> => {
    const mails = [...getItems(team.users), ...getItems(team.leaders)].flatMap((user) => readMail(user) ?? []);
    const read = readTeam(team, await findMembersByMail(space, mails));
    if ('faults' in read) {
      if (counting) report.reject('teams', team, read.faults);
      return;
    }
    try {
      const outcome = await writeMovedTeam(space, run, read);
      if (!counting) return;
      report.count('teams', outcome);
      if (read.missing.length > 0)
        report.leaveOut('teams', team, [
          {
            location: 'users',
            message: 'are not members of this space: they are left out of the team',
            value: read.missing.join(', '),
          },
        ]);
    } catch (error) {
      reject('teams', team, error, counting);
    }
  };

  /** Writes the actions that contacts refer to. The contract lists none of them. */
  const writeActions = async (space: Space, run: MoveRun, ids: readonly number[]): Promise<void> => {
    for (const action of ids.filter((id) => !actions.has(id))) {
      const counts = !counted.has(action);
      counted.add(action);
      const id = await writeOne(space, run, ['action', 'actions'], { id: action }, readAction(action), counts);
      if (id !== null) actions.set(action, id);
    }
  };

  /** Writes all lists, and these actions. A faulty record does not keep the others from being written. */
  const write = async (space: Space, run: MoveRun, actionIds: readonly number[]): Promise<void> => {
    actions = new Map();
    await findUsers(space);
    for (const form of lists.forms) await writeForm(space, run, form);
    for (const group of lists.priceGroups) {
      const id = await writeOne(space, run, ['price_group', 'price groups'], group, readPriceGroup(group));
      for (const price of id === null ? [] : readMembershipPrices(group, id))
        await writeOne(space, run, ['membership_price', 'membership prices'], group, price);
    }
    for (const price of lists.donationPrices)
      await writeOne(space, run, ['donation_price', 'donation prices'], price, readPrice(price));
    const titles = ['transaction_status', 'transaction statuses'] as const;
    for (const status of lists.transactionStatuses)
      await writeOne(space, run, titles, status, readTransactionStatus(status));
    for (const team of lists.teams) await writeTeam(space, run, team);
    await writeActions(space, run, actionIds);
  };

  return {
    write,
    writeActions,
    getTranslation: (): Translation => ({ forms, options, actions, users }),
    /** From here on definitions that are written again, as a dry run does for each page, count no more. */
    endCounting: (): void => {
      counting = false;
    },
  };
};
export type Definitions = Awaited<ReturnType<typeof readDefinitions>>;

/** Mails that are printed. */
const maxPrinted = 20;
const describeStrangers = (mails: readonly string[]): string => {
  const shown = mails.slice(0, maxPrinted).join(', ');
  const rest = mails.length > maxPrinted ? ` and ${mails.length - maxPrinted} more` : '';
  return `users of the source who are not members of this space, and so neither authors of notes nor in teams: ${shown}${rest}. Invite them with "muster member invite", and run this command again when they have joined`;
};
