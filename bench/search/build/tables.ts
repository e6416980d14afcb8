// In charge of which tables are filled, by which jobs, in which order.
import {
  contactActions,
  contactTags,
  fillAnswers,
  fillInteractions,
  fillNotes,
  fillSanctions,
} from '../tables/activity.ts';
import { fillEmails } from '../tables/mailings.ts';
import { fillDonations, fillMemberships, fillTransactions } from '../tables/money.ts';
import { fillAddresses, fillContacts, type Stretch } from '../tables/people.ts';
import type { Job } from './lanes.ts';

/** The parts of a table: enough that both connections end together, few enough that starting them costs little. */
const parts = 4;

const makers = [
  fillContacts,
  fillAnswers,
  contactTags,
  fillAddresses,
  fillInteractions,
  fillTransactions,
  contactActions,
  fillNotes,
  fillMemberships,
  fillDonations,
  fillSanctions,
];

/** No job waits for another: triggers are off, and the plan of people has the values that rows share. */
export const planTableJobs = (people: number): Job[] => {
  const stretches: Stretch[] = Array.from({ length: parts }, (_, part) => ({
    from: Math.floor((part * people) / parts) + 1,
    to: Math.floor(((part + 1) * people) / parts),
  }));
  return [
    ...stretches.map((_, part) => fillEmails(part, parts, 100 + part)),
    ...makers.flatMap((make, place) => stretches.map((stretch, part) => make(stretch, 1000 + place * parts + part))),
  ];
};
