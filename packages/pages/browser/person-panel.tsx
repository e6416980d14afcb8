// The panel of one person beside the results: their card, and what happened with them day by day.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button, Labelled, Notice, Select, Status } from './controls.tsx';
import { hasChoices, joinNames } from './lookups.ts';
import { ProblemText } from './problem-text.tsx';
import { type Texts, useTexts } from './texts.ts';
import type { Person } from './use-people.ts';
import { type Card, type Entry, type Item, listFilters, type Money, usePerson } from './use-person.ts';
import { useFieldLabel, useWorkspace } from './workspace.ts';

interface PersonPanelProps {
  person: Pick<Person, 'id' | 'firstName' | 'lastName'>;
  close(): void;
}

/** Characters of a text that are shown. */
const longest = 200;

const cutText = (text: string): string => {
  const letters = [...text.trim()];
  return letters.length > longest ? `${letters.slice(0, longest).join('').trimEnd()}…` : letters.join('');
};

export const formatDay = (day: string, { locale }: Texts, style: 'medium' | 'long' | 'full' = 'long'): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: style, timeZone: 'UTC' }).format(new Date(day));

/** Swedish dates are those of ISO 8601, but for the zeros of years before 1000. */
const isoDay = new Intl.DateTimeFormat('sv');

/** The day of an instant in the time zone of the browser. */
export const findLocalDay = (at: string | number): string => isoDay.format(new Date(at)).padStart(10, '0');

/** Minor units are those of the currency: a yen has none. */
const formatMoney = ({ amount, currency }: Money, { locale }: Texts): string => {
  const form = new Intl.NumberFormat(locale, { style: 'currency', currency });
  return form.format(amount / 10 ** form.resolvedOptions().maximumFractionDigits!);
};

/** The first tags of a person, and how many others there are. */
export const Tags = ({ tags, most = tags.length }: { tags: { name: string }[]; most?: number }) => {
  const t = useTexts();
  return (
    <span class="tags">
      {tags.slice(0, most).map(({ name }) => (
        <bdi key={name} class="tag">
          {name}
        </bdi>
      ))}
      {tags.length > most && `+ ${t.number(tags.length - most)}`}
    </span>
  );
};

export const PersonPanel = ({ person, close }: PersonPanelProps) => {
  const t = useTexts();
  const { api, permissions } = useWorkspace();
  const { card, entries, hasMore, firstAdded, isLoading, problem, filter, choose, readMore, retry } = usePerson(
    api,
    person.id,
    permissions,
  );
  const [dialog, heading] = [useRef<HTMLDialogElement>(null), useRef<HTMLHeadingElement>(null)];
  const { firstName, lastName } = card ?? person;
  const isGone = card === null && !isLoading;

  useLayoutEffect(() => {
    dialog.current!.showModal();
    heading.current!.focus();
    // A click beside it closes it, and the second one of a double click on the list does not.
    setTimeout(() => dialog.current?.setAttribute('closedby', 'any'), 500);
  }, []);

  // The first of more entries takes the focus from the button that added them, and from nobody who went elsewhere meanwhile.
  useEffect(() => {
    if (firstAdded && document.activeElement?.matches('body, dialog, .more'))
      dialog.current!.querySelector<HTMLElement>('.first-added')?.focus();
  }, [firstAdded]);

  return (
    <dialog class="person" ref={dialog} aria-labelledby="person" onClose={close}>
      <div class="person-bar">
        <Button text="×" class="remove" aria-label={t.close} onClick={() => dialog.current!.close()} />
      </div>
      <h2 id="person" tabIndex={-1} ref={heading} dir="auto">
        {joinNames(firstName, lastName) || <em>{t.nameless}</em>}
      </h2>
      {card && <CardList card={card} />}
      {card && (
        <>
          <h3>{t.timeline}</h3>
          <Labelled label={t.showKinds}>
            <Select
              label={t.showKinds}
              value={filter}
              choices={listFilters(permissions).map((one) => [one, t.filters[one]])}
              onChange={choose}
            />
          </Labelled>
        </>
      )}
      <Status>
        {isLoading ? t.loading : card && !problem && (entries.length > 0 ? t.entries(entries.length) : t.noEntries)}
      </Status>
      <Timeline {...{ entries, firstAdded }} isStale={isLoading} />
      {(problem || isGone) && (
        <Notice retry={problem?.retryAfter === undefined ? retry : undefined}>
          {problem ? <ProblemText {...{ problem }} isRepeated /> : t.personGone}
        </Notice>
      )}
      {hasMore && (
        <Button text={t.more} class="more" aria-disabled={isLoading} onClick={() => isLoading || readMore()} />
      )}
    </dialog>
  );
};

const computeAge = (birthDate: string): number => {
  const today = findLocalDay(Date.now());
  const years = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return today.slice(5) < birthDate.slice(5) ? years - 1 : years;
};

const CardList = ({ card }: { card: Card }) => {
  const t = useTexts();
  const labelField = useFieldLabel();
  const { email, phone, phoneInvalid, mobile, mobileInvalid, address, birthDate, tags, createdAt } = card;
  const lines = address
    ? [
        joinNames(address.houseNumber, address.street),
        joinNames(address.building, address.floor, address.door),
        address.addition,
        address.details,
        joinNames(address.postalCode, address.city),
        address.country,
        address.invalidReason && `(${address.invalidReason})`,
      ].filter(Boolean)
    : [];
  const age = birthDate ? computeAge(birthDate) : -1;
  const show = (label: string, value: ComponentChildren) => (
    <>
      <dt class="quiet">{label}</dt>
      <dd dir="auto">{value || <span class="quiet">{t.nothing}</span>}</dd>
    </>
  );
  return (
    <dl>
      {show(t.email, email && <a href={`mailto:${encodeURIComponent(email).replace('%40', '@')}`}>{email}</a>)}
      {show(labelField('phone'), phone && <PhoneLink number={phone} isWrong={phoneInvalid} />)}
      {show(labelField('mobile'), mobile && <PhoneLink number={mobile} isWrong={mobileInvalid} />)}
      {show(
        labelField('address'),
        lines.length > 0 &&
          [...new Set(lines)].map((line) => (
            <div key={line} dir="auto">
              {line}
            </div>
          )),
      )}
      {show(
        labelField('birthDate'),
        birthDate && (age < 0 ? formatDay(birthDate, t) : `${formatDay(birthDate, t)} (${t.age(age)})`),
      )}
      {show(t.tags, tags.length > 0 && <Tags tags={tags} />)}
      {show(labelField('optedOut'), <OptOut card={card} />)}
      {show(labelField('createdAt'), formatDay(findLocalDay(createdAt), t))}
    </dl>
  );
};

const PhoneLink = ({ number, isWrong }: { number: string; isWrong: boolean }) => {
  const t = useTexts();
  return (
    <>
      <a href={`tel:${number.replaceAll(/[^+\d]/g, '')}`} dir="ltr">
        {number}
      </a>
      {isWrong && ` (${t.wrongNumber})`}
    </>
  );
};

/** Whether somebody wants to hear nothing, since when, and why. */
const OptOut = ({ card: { optedOut, optOuts } }: { card: Card }) => {
  const t = useTexts();
  const [last] = optOuts.nodes;
  // There may be no history of an old opt-out.
  if (!optedOut || last?.after !== 'true') return <>{optedOut ? t.yes : t.no}</>;
  return (
    <>
      {t.optedOutSince(formatDay(findLocalDay(last.createdAt), t))}
      {last.source && (
        <>
          {t.colon}
          <bdi>{cutText(last.source)}</bdi>
        </>
      )}
      {last.author && <Author author={last.author} />}
    </>
  );
};

interface TimelineProps {
  entries: Entry[];
  firstAdded: string | undefined;
  isStale: boolean;
}

/** Entries under their days. A membership begins on a day of the calendar, whatever the time zone. */
const Timeline = ({ entries, firstAdded, isStale }: TimelineProps) => {
  const t = useTexts();
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = entry.item?.startDate ?? findLocalDay(entry.at);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  const clock = new Intl.DateTimeFormat(t.locale, { timeStyle: 'short' });
  return (
    <div class="timeline" aria-busy={isStale}>
      {[...days]
        .sort(([one], [other]) => other.localeCompare(one))
        .map(([day, ofDay]) => (
          <section key={day}>
            <h4>{formatDay(day, t, 'full')}</h4>
            <ul>
              {ofDay.map(({ cursor, kind, at, item }) => (
                <li key={cursor} class={cursor === firstAdded ? 'first-added' : undefined} tabIndex={-1}>
                  <p>{t.happened[chooseSentence({ kind, item })]}</p>
                  {item && kind !== 'TAGGED' && <Content item={item} />}
                  {!item?.startDate && (
                    <p class="quiet">
                      <time dateTime={at}>{clock.format(new Date(at))}</time>
                      {item?.author && <Author author={item.author} />}
                    </p>
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
    </div>
  );
};

/** The sentence for an entry: some kinds tell one of several things. */
const chooseSentence = ({ kind, item }: Pick<Entry, 'kind' | 'item'>): keyof Texts['happened'] => {
  if (kind === 'CHANGED' && (item?.operation === 'DELETED' || item?.operation === 'RESTORED')) return item.operation;
  if (kind === 'CONSENT' && item?.formId === null) return item.after === 'true' ? 'OPTED_OUT' : 'OPTED_IN';
  return kind;
};

const Author = ({ author }: { author: NonNullable<Item['author']> }) => {
  const t = useTexts();
  return (
    <>
      {' '}
      {t.by} <bdi>{joinNames(author.firstName, author.lastName) || author.email}</bdi>
    </>
  );
};

/** The record of an entry, in short. Its texts are those of the space: each has the direction of its own script. */
const Content = ({ item }: { item: Item }) => {
  const t = useTexts();
  const labelField = useFieldLabel();
  const { content, activity, subType, title, comments, amount, lastDay, status, end, campaign, mailType } = item;
  const { text, option, answered, formId, consented, before, after, source, operation, fields, node } = item;
  const answer = answered && hasChoices(answered.type) ? option?.label : text;
  const isSegment = operation === 'ENTERED' || operation === 'LEFT';
  const until = lastDay ?? (end ? findLocalDay(end) : undefined);
  const said = [
    [activity, subType, title].filter(Boolean).join(' · '),
    comments,
    content,
    status,
    campaign?.name ?? mailType,
    (answered ?? consented)?.label,
    answer,
    isSegment ? (node?.name ?? t.goneSegment) : undefined,
    isSegment || !fields ? undefined : new Intl.ListFormat(t.locale).format(fields.map(labelField)),
  ].filter((one) => one);
  return (
    <>
      {[...new Set(said)].map((one) => (
        <p key={one} dir="auto">
          {cutText(one!)}
        </p>
      ))}
      {amount && <p>{formatMoney(amount, t)}</p>}
      {until && <p>{t.until(formatDay(until, t))}</p>}
      {formId && (
        <p>
          <bdi>{cutText(before ?? t.nothing)}</bdi> → <bdi>{cutText(after ?? t.nothing)}</bdi>
        </p>
      )}
      {source && (
        <p>
          {t.source}
          {t.colon}
          <bdi>{cutText(source)}</bdi>
        </p>
      )}
    </>
  );
};
