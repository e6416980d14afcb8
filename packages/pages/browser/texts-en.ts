// The English texts of the segment builder. Every other language has the same.
import type { Kind } from './model.ts';
import type { DateUnit } from './relative-date.ts';
import type { Filter, TimelineKind } from './use-person.ts';

const number = new Intl.NumberFormat('en');
const dayForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const monthForm = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });
export const count = (value: number, one: string, many: string): string =>
  `${number.format(value)} ${value === 1 ? one : many}`;

const units: Record<DateUnit, [one: string, many: string]> = {
  d: ['day', 'days'],
  w: ['week', 'weeks'],
  M: ['month', 'months'],
  y: ['year', 'years'],
};

type Counts = Record<'total' | 'changed' | 'unchanged' | 'refused', number>;

/** Kinds of entries that tell one of several things. */
type SpecialEvent = 'DELETED' | 'RESTORED' | 'OPTED_IN' | 'OPTED_OUT';

/** How many of the found people the map shows, and why it does not show the rest. */
type Mapped = Record<'shown' | 'total' | 'without' | 'unread' | 'outside', number>;

const listRest = (rest: [value: number, reason: string][]): string => {
  const some = rest.filter(([value]) => value > 0).map(([value, reason]) => `${number.format(value)} ${reason}`);
  return some.length > 0 ? ` Not shown: ${some.join(', ')}.` : '';
};

export const en = {
  /** The language with its region, for Intl. */
  locale: 'en-GB',
  title: 'Find people',
  number: (value: number): string => number.format(value),
  languages: 'Language',
  skip: 'Skip to the results',
  signOut: 'Forget the token',
  space: (name: string): string => `in ${name}`,

  tokenTitle: 'Your access token',
  tokenHint: 'Such as mst_… The page keeps it in this tab alone, and sends it to this server alone.',
  tokenLabel: 'Access token',
  tokenEnter: 'Continue',
  replaceToken:
    'This link brings another access token than the one of this tab. Use it? You may then be in another space. Accept only a link that you expected.',
  tokenRefused: 'The server does not accept this token.',

  segment: 'Segment',
  everybody: 'No condition yet: this is everybody.',
  matchStart: 'People for whom',
  matchExcluded: 'Everybody but those for whom',
  every: 'all of these are true',
  some: 'at least one of these is true',
  groupLabel: 'How the conditions of this group are joined',
  group: 'Group',
  exclude: 'Exclude',
  excludeHint: 'Exclude the people whom this group finds',
  addCondition: 'Condition',
  addConditionLabel: 'Add a condition',
  narrowRecords: 'Say which ones',
  addGroup: 'Group',
  addGroupLabel: 'Add a group',
  condition: (place: string): string => `Condition ${place}`,
  removeCondition: (name: string): string => `Remove the condition ${name}`,
  removeGroup: 'Remove the group',
  attribute: 'Attribute',
  chooseAttribute: 'Choose what to search by',
  operator: 'Operator',
  anyAnswer: '(no matter)',
  value: 'Value',
  from: 'From',
  to: 'To',
  and: 'and',
  form: 'Form',
  options: 'These options are answered',
  yes: 'yes',
  no: 'no',
  genders: { M: 'male', F: 'female', O: 'other' },
  validities: { ongoing: 'ongoing', ended: 'ended' },
  /** The contract gives the categories no bounds, so that only their numbers can be told. */
  ageCategory: (number: number): string => `category ${number}`,
  incomplete: 'Not used yet: something is missing.',
  hints: {
    CENTS: 'Amount, such as 99.90',
    YEAR: 'Year, such as 2026',
    WHOLE: 'Whole number',
    ID: 'Number of the record',
    PHONE: 'Digits',
    CIRCLE: 'Kilometres such as 2.5, coordinates such as 48.8566, 2.3522',
  } as Partial<Record<Kind, string>>,
  partOfYear: 'Day and month, such as 12-31',
  listHint: 'Press Enter after each value',
  removeValue: (value: string): string => `Remove ${value}`,
  choices: (value: number): string => (value === 0 ? 'Nothing found' : count(value, 'choice', 'choices')),
  currency: '€',
  distance: 'Kilometres',
  around: 'km around',
  centre: 'Kind of centre',
  centres: { postalCode: 'Postal code', point: 'Coordinates', contactId: 'Number of a contact' },
  area: 'a polygon, which is kept as it is',

  dateMode: 'Kind of date',
  dateFixed: 'on the calendar',
  dateRelative: 'counted from today',
  dateMore: 'More',
  dateText: 'as text',
  dateHint: 'Such as 2026-01-31 or now-1y/y',
  dateCount: 'How many',
  dateUnit: 'Unit',
  dateDirection: 'Before or after today',
  span: 'Period',
  spanLast: 'in the last…',
  spanNext: 'in the next…',
  ago: 'ago',
  ahead: 'from today',
  unit: (unit: DateUnit, value: number): string => units[unit][value === 1 ? 0 : 1],
  meansDay: (day: string): string => `today that is ${dayForm.format(new Date(day))}`,
  month: (month: string): string => monthForm.format(new Date(`${month}-01`)),

  people: (value: number): string => (value === 1 ? 'person' : 'people'),
  counted: (value: number): string => count(value, 'person', 'people'),
  moreThan: (value: number): string => `more than ${number.format(value)}`,
  share: (percent: string): string => `${percent} of everybody`,
  counting: 'Counting…',
  nobody: 'Nobody is in this segment.',
  firstPeople: 'The first of them',
  foundPeople: 'The people',
  searchPeople: 'Look for somebody among them',
  columns: 'Columns',
  shownPeople: ({ from, to, total }: Record<'from' | 'to' | 'total', number>): string =>
    `${number.format(from)} to ${number.format(to)} of ${number.format(total)}`,
  nobodyMatches: 'Nobody here matches these words.',
  peopleMoved: 'Somebody has changed contacts since this list was read.',
  showAgain: 'Show it as it is now',
  pages: 'Pages of people',
  previousPage: 'Previous page',
  nextPage: 'Next page',
  pick: (name: string): string => `Select ${name}`,
  pickPage: 'Select everybody on this page',
  pickEverybody: (total: number): string => `Select all ${number.format(total)}`,
  pickNobody: 'Select nobody',
  pickedPeople: (value: number): string => `${number.format(value)} selected`,
  tooManyPicked: (most: number): string =>
    `At most ${number.format(most)} people can be changed one by one. Select fewer, or change everybody in the segment.`,
  unknownColumns: (names: readonly string[]): string =>
    `The link asks for columns or an order that the list does not have: ${names.join(', ')}. The rest of the link was loaded.`,
  examples: 'Start with an example',
  exampleQuestions: {
    lapsedDonors: () => 'Gave last year, but not yet this year',
    readers: (city: string) => `Live in ${city} and opened an e-mail in the last 90 days`,
    formerMembers: () => 'Were members, and their membership has ended',
  } satisfies Record<string, (city: string) => string>,
  name: 'Name',
  email: 'E-mail',
  tags: 'Tags',
  nameless: 'without a name',
  alone: (value: string): string => `alone: ${value}`,
  about: (value: string): string => `alone: about ${value}`,
  took: (milliseconds: string): string => `${milliseconds} ms`,
  howFound: 'How it was found',
  indexes: (names: string): string => `by the index ${names}`,
  noIndex: 'by looking at everybody',
  faulty: 'The search was refused. See the marked conditions.',
  waiting: (seconds: number): string =>
    `The space has used up its requests. Next try in ${count(seconds, 'second', 'seconds')}.`,
  busy: (seconds: number): string => `The server is busy. Next try in ${count(seconds, 'second', 'seconds')}.`,
  unreachable: 'The server cannot be reached.',
  failed: 'The server answered: ',
  /** A fault in the words of the page; undefined where it has none. */
  explain: (message: string): string | undefined => message,
  tryAgain: 'Try again',

  colon: ': ',
  charts: 'Who they are',
  charted: { CITY: 'City', TAG: 'Tag', AGE: 'Age', MONTH_OF_LAST_CHANGE: 'Last change' },
  others: (value: number): string => count(value, 'other value', 'other values'),
  without: { CITY: 'no city', TAG: 'no tag', AGE: 'no day of birth', MONTH_OF_LAST_CHANGE: 'never' },
  ageGroup: (group: string): string =>
    group.endsWith('+') ? `${group.slice(0, -1)} and over` : group.replace('-', '–'),
  narrowTo: (value: string): string => `Narrow the segment to ${value}`,

  map: 'On a map',
  mapped: ({ shown, total, without, unread, outside }: Mapped): string =>
    `${number.format(shown)} of ${count(total, 'person is', 'people are')} on the map.${listRest([
      [without, 'without coordinates'],
      [unread, `after the first ${number.format(total - unread)}`],
      [outside, 'far away from the others'],
    ])}`,
  largestTowns: 'Largest towns',
  mapKeys: 'Map: the arrow keys go from person to person, and Enter opens one',
  kilometres: (value: number): string => `${number.format(value)} km`,

  question: 'The same question',
  questionHint: 'Each of these finds the same people.',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The browser refuses to copy.',
  noTree: {
    depth: 'The REST notation has groups on two levels. This segment has more, so it is for GraphQL alone.',
    exclusion:
      'The REST notation has no exclusion of groups, and a condition here has no opposite. GraphQL alone can ask this.',
  },

  changeContacts: 'Change these contacts',
  changePicked: (value: number): string =>
    value === 1 ? 'Change the selected contact' : `Change the ${number.format(value)} selected contacts`,
  changeKind: 'What to change',
  changeKinds: {
    addTag: 'Add a tag',
    removeTag: 'Remove a tag',
    optOut: 'Opt them out',
    optIn: 'Lift their opt-out',
    set: 'Set a field',
    clear: 'Clear a field',
    answer: 'Answer a form',
    delete: 'Delete them',
  },
  tag: 'Tag',
  field: 'Field',
  answer: 'Answer',
  reason: 'Reason',
  reasonIfAny: 'Reason, if any',
  nothing: 'nothing',
  /** Fields by which nobody is searched, by their paths in the graph. */
  otherFields: {
    accountId: 'User account',
    actionIds: 'Actions',
    actions: 'Actions',
    address: 'Address',
    answers: 'Answers',
    birthDepartment: 'Department of birth',
    mergedInto: 'Merged into another record',
    mobileInvalid: 'Whether the mobile number is wrong',
    phoneInvalid: 'Whether the landline number is wrong',
  } as Record<string, string>,
  pickedGone: (value: number): string =>
    `Nothing was changed: ${count(value, 'selected contact is', 'selected contacts are')} not there any more. Look again.`,
  previewChange: 'See what would change',
  wouldChange: ({ total, changed, unchanged, refused }: Counts): string =>
    `${changed + unchanged + refused < total ? `Of the first ${number.format(changed + unchanged + refused)} of ${count(total, 'contact', 'contacts')}` : `Of ${count(total, 'contact', 'contacts')}`}, ${number.format(changed)} would change, ${number.format(unchanged)} are so already, and ${number.format(refused)} would be refused.`,
  changeNow: (value: number): string => `Change ${count(value, 'contact', 'contacts')}`,
  deleteNow: (value: number): string => `Delete ${count(value, 'contact', 'contacts')}`,
  countChanged: (before: number, now: number): string =>
    `Nothing was changed: there were ${count(before, 'contact', 'contacts')}, and now there are ${number.format(now)}. Look again.`,
  back: 'Back',
  close: 'Close',
  working: 'Working…',
  stopChange: 'Stop',
  changeProgress: (done: number, total: number): string =>
    `${number.format(done)} of ${count(total, 'contact', 'contacts')}`,
  changeDone: ({ changed, unchanged, refused }: Counts): string =>
    `Done: ${number.format(changed)} changed, ${number.format(unchanged)} were so already, ${number.format(refused)} refused.`,
  changeStopped: ({ changed, total }: Counts): string =>
    `Stopped: ${number.format(changed)} of ${count(total, 'contact', 'contacts')} changed.`,
  undo: 'Undo',
  undone: ({ restored, left }: { restored: number; left: number }): string =>
    `Undone: ${number.format(restored)} restored, ${number.format(left)} left as they are, since somebody has changed them.`,

  loading: 'Loading…',
  personGone: 'This person is not there any more: somebody has deleted them.',
  age: (years: number): string => count(years, 'year old', 'years old'),
  wrongNumber: 'wrong number',
  optedOutSince: (day: string): string => `yes, since ${day}`,
  timeline: 'What happened',
  showKinds: 'Show',
  filters: {
    all: 'everything',
    noted: 'notes, interactions and sanctions',
    mailings: 'mailings',
    money: 'money',
    answers: 'answers and consent',
    changes: 'changes',
  } satisfies Record<Filter, string>,
  entries: (value: number): string => count(value, 'entry', 'entries'),
  noEntries: 'There is nothing here.',
  more: 'Show more',
  happened: {
    ANSWER: 'Answered a form.',
    CHANGED: 'The record was changed.',
    CONSENT: 'Changed what they agree to.',
    CREATED: 'The record was created.',
    DELETED: 'The record was deleted.',
    DONATION: 'Made a donation.',
    EMAIL_BOUNCED: 'An e-mail to them bounced.',
    EMAIL_CLICKED: 'Clicked a link in an e-mail.',
    EMAIL_DELIVERED: 'An e-mail was delivered to them.',
    EMAIL_OPENED: 'Opened an e-mail.',
    EMAIL_REPORTED: 'Reported an e-mail as abuse.',
    EMAIL_SENT: 'An e-mail was sent to them.',
    EMAIL_UNSUBSCRIBED: 'Unsubscribed by an e-mail.',
    INTERACTION: 'An interaction was recorded.',
    MEMBERSHIP: 'A membership begins.',
    NOTE: 'A note was written.',
    OPTED_IN: 'Their opt-out was lifted.',
    OPTED_OUT: 'Opted out of everything.',
    RESTORED: 'The record was restored.',
    SANCTION: 'A sanction was imposed.',
    SEGMENT_ENTERED: 'Entered a segment.',
    SEGMENT_LEFT: 'Left a segment.',
    TAGGED: 'Their tags were changed.',
    TRANSACTION: 'Made a payment.',
  } satisfies Record<TimelineKind | SpecialEvent, string>,
  by: 'by',
  source: 'Source',
  until: (day: string): string => `until ${day}`,
  goneSegment: 'a segment that was deleted',

  openHint: 'Open a saved segment…',
  save: 'Save',
  saveAs: 'Save as a segment',
  saveChanges: 'Save changes',
  saveCopy: 'Save as another',
  segmentName: 'Name',
  segmentDescription: 'What it is for',
  cancel: 'Cancel',
  deleteSegment: 'Delete',
  deleteSure: (name: string): string => `Delete “${name}” for good?`,
  deleteYes: 'Yes, delete it',
  segmentSaved: (name: string): string => `“${name}” is saved.`,
  segmentDeleted: (name: string): string => `“${name}” is deleted.`,
  changed: 'changed since',
  needsCondition: 'A segment needs a condition.',
  noSegment: 'There is no such segment.',
  outdated: 'Somebody else has changed this segment. Open it again to see how.',

  copyLink: 'Copy link',
  linkCopied: 'The link holds the whole segment.',
  brokenLink: {
    version: 'This link was made by a newer version of Muster. Nothing was loaded from it.',
    damaged: 'This link was cut off or changed. Nothing was loaded from it.',
  },
  unreadable: (place: string, value: string): string =>
    `The segment has something at ${place || 'its beginning'} that this page cannot show or that you may not search by: ${value}.`,
  exportPeople: 'Export…',
  exportTitle: 'Export these people',
  exportFor: 'What the file is for',
  exportForExcel: 'For Excel',
  exportForExcelHint: 'opens with a double click, in English',
  exportForPrograms: 'For other programs',
  exportForProgramsHint: 'all columns, the same in every language',
  exportColumns: 'Columns',
  exportAllColumns: 'All columns',
  exportShownColumns: 'The columns of the list',
  exportNoColumn: 'Choose at least one column.',
  exportNow: 'Export',
  exporting: 'Exporting…',
  saveToExport: 'The export cannot say this segment as it is. Save it first: a saved segment can always be exported.',
  exported: 'The file is ready.',
  startAnew: 'Start anew',
};

export type Texts = typeof en;
