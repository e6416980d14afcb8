// Creates the mailings of a space: templates, campaigns, and the e-mails of each contact with their events.
import { daySeconds, formatInstant, formatPastInstant, reference } from './calendar.ts';
import { Picker, type Random } from './random.ts';
import { type Campaign, formatFoundingInstant, type Lists, type SpaceSeed, type User } from './space.ts';
import { campaignSubjects, campaignThemes, goals, links } from './words.ts';

const templates = 12;
const drafts = 3;
const base = 60;
const maxCampaigns = 300;
const years = 3 * 365 * daySeconds;

/** A large space has more mailings. The mailings of a contact depend only on its own number. */
const campaignsFor = (contacts: number): number =>
  Math.min(maxCampaigns, base + Math.floor(Math.max(0, contacts - 10_000) / 400));

/** Creates the sent mailings, in order of their ids. */
export const makeCampaigns = (making: SpaceSeed, contacts: number, users: User[]): Campaign[] => {
  const { rows, space } = making;
  const templateIds = Array.from({ length: templates }, (_, place) => {
    const id = rows.id('templates');
    const name = `Modèle ${campaignThemes[place % campaignThemes.length]}${place === 0 ? ' (par défaut)' : ''}`;
    rows.add('templates', [space, id, name, formatFoundingInstant(place), formatFoundingInstant(place)]);
    return id;
  });
  const sent: Campaign[] = [];
  for (let place = 0; place < campaignsFor(contacts) + drafts; place++) {
    const random = making.at('campaign', place);
    const id = rows.id('campaigns');
    const draft = place < drafts;
    // The first mailings cover three years in order. The additional ones of a large space fall between them.
    const moment = place < base + drafts ? (place - drafts) / base : random.share();
    const sentAt = reference - years + Math.floor(moment * years) + random.between(1, 40_000);
    const theme = random.of(campaignThemes);
    const successful = draft || random.chance(0.2) ? null : random.chance(0.4);
    rows.add('campaigns', [
      space,
      id,
      random.chance(0.92) ? random.of(templateIds) : null,
      `${random.of(['Campagne', 'Lettre', 'Relance', 'Invitation'])} ${theme} ${place + 1}`,
      random.chance(0.95) ? `${random.of(campaignSubjects)} (${theme})` : null,
      random.chance(0.95) ? random.of(['equipe@example.org', 'lettre@example.org', 'dons@example.org']) : null,
      random.chance(0.9) ? random.of(goals) : null,
      successful,
      successful === null ? null : random.between(successful ? 40 : 0, successful ? 100 : 60),
      draft ? null : formatInstant(sentAt),
      formatInstant(sentAt - random.between(3600, 500_000)),
      formatInstant(sentAt),
    ]);
    if (!draft) sent.push({ id, sentAt, userId: (users[random.below(Math.min(8, users.length))] as User).id });
  }
  return sent;
};

/** The number of e-mails from 0 to 24, falling as 1/(n + 1)^1.25. The average over all contacts, also those without a mail, is three. */
const counts = new Picker(
  Array.from({ length: 25 }, (_, n) => n),
  (n) => 1 / ((n + 1) * Math.sqrt(Math.sqrt(n + 1))),
);

const clickedUrls = (random: Random): string => {
  const first = random.of(links);
  return random.chance(0.25) ? `{${first},${random.of(links)}}` : `{${first}}`;
};

interface Mailing {
  contact: number;
  campaign: Campaign | undefined;
  sentAt: number;
  engagement: number;
}

/** Creates the events of an e-mail: delivered, then opened, then clicked, each less often. Returns false when the contact unsubscribed. */
const makeEmail = ({ rows, random, space }: SpaceSeed, { contact, campaign, sentAt, engagement }: Mailing): boolean => {
  const bounced = random.chance(0.035);
  const delivered = !bounced && random.chance(0.99);
  const opened = delivered && random.share() < engagement;
  const openedAt = sentAt + 60 + Math.floor(random.share() * random.share() * 3 * daySeconds);
  const clicked = opened && random.chance(0.22);
  const unsubscribed = delivered && random.chance(0.004);
  const abuse = delivered && random.chance(0.0008);
  const blacklisted = bounced ? random.chance(0.05) : random.chance(0.0005);
  const later = sentAt + random.between(300, 2 * daySeconds);
  rows.add('emails', [
    space,
    rows.id('emails'),
    contact,
    campaign?.id ?? null,
    campaign?.userId ?? null,
    campaign ? 'campaign' : random.of(['transactional', 'automatic', null]),
    clicked ? clickedUrls(random) : null,
    delivered ? formatPastInstant(sentAt + random.between(2, 180)) : null,
    opened ? formatPastInstant(openedAt) : null,
    clicked ? formatPastInstant(openedAt + random.between(5, 600)) : null,
    bounced ? formatPastInstant(sentAt + random.between(2, 900)) : null,
    unsubscribed ? formatPastInstant(later) : null,
    blacklisted ? formatPastInstant(later) : null,
    abuse ? formatPastInstant(later) : null,
    formatPastInstant(sentAt),
  ]);
  return !unsubscribed && !blacklisted;
};

/** Creates the e-mails of a contact, at most one per campaign. It stops when the contact unsubscribes. */
export const makeEmails = (making: SpaceSeed, lists: Lists, index: number, contact: number): void => {
  const random = making.at('emails', index);
  const count = counts.pick(random);
  if (count === 0) return;
  const engagement = random.share() * random.share() * 1.3;
  const reach = Math.min(campaignsFor(index), lists.campaigns.length);
  const stride = Math.max(1, Math.floor((2 * reach) / (count + 1)) - 1);
  let place = random.below(stride);
  for (let n = 0; n < count && place < reach; n++) {
    const own = random.chance(0.04);
    const campaign = own ? undefined : lists.campaigns[place];
    const sentAt = campaign ? campaign.sentAt + random.below(3600) : reference - random.below(years);
    place += random.between(1, stride);
    if (!makeEmail(making, { contact, campaign, sentAt, engagement })) return;
  }
};
