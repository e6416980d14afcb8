// Creates a space: first the rows that its contacts refer to, then its contacts.

import { makeDocuments, makeInteractions, makeLinks, makeNotes, makeSanctions } from './activity.ts';
import { makeAnswers } from './answers.ts';
import { makeCampaigns, makeEmails } from './campaigns.ts';
import { makeContact } from './contact.ts';
import { makeForms } from './forms.ts';
import { makeMoney } from './money.ts';
import { makeInvitations, makePeople } from './people.ts';
import { createZipfPicker } from './random.ts';
import { makeSegments } from './segments.ts';
import { makeActions, makeDonationPrices, makeMembershipPrices, makeStatuses, makeTags } from './settings.ts';
import { formatFoundingInstant, type Lists, type SpaceSeed, type User } from './space.ts';
import { makeTeams } from './teams.ts';
import { spaceNames } from './words.ts';

export interface PlannedSpace {
  id: number;
  name?: string;
  contacts: number;
}

/** Creates the rows of a space that belong to no contact. */
export const makeSpaceLists = (making: SpaceSeed, planned: PlannedSpace, taken: Set<string>, guest?: User): Lists => {
  const name = planned.name ?? `${spaceNames[(planned.id - 1) % spaceNames.length]}`;
  const at = formatFoundingInstant(0);
  making.rows.add('spaces', [making.rows.took('spaces', planned.id), name, at, at]);
  const people = makePeople(making, taken, guest);
  const { users } = people;
  makeInvitations(making, people, makeTeams(making, users));
  const lists: Lists = {
    users,
    editors: createZipfPicker(users.map(({ id }) => id)),
    tags: makeTags(making),
    actions: makeActions(making),
    ...makeForms(making),
    membershipPrices: makeMembershipPrices(making),
    donationPrices: makeDonationPrices(making),
    statuses: makeStatuses(making),
    campaigns: makeCampaigns(making, planned.contacts, users),
  };
  makeDocuments(making, lists);
  makeSegments(making, users);
  return lists;
};

/** Creates a contact by its number, counted from 1 in its space, with all its records. */
export const makeWholeContact = (making: SpaceSeed, lists: Lists, index: number): void => {
  const id = making.rows.id('contacts');
  const mailed = makeContact(making, lists, index, id);
  makeLinks(making, lists, index, id);
  makeNotes(making, lists, index, id);
  makeInteractions(making, lists, index, id);
  makeAnswers(making, lists, index, id);
  makeMoney(making, lists, index, id);
  if (mailed) makeEmails(making, lists, index, id);
  makeSanctions(making, index, id);
};
