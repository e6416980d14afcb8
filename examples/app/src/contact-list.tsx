// A list of contacts with a button for its next page.
import type { CombinedError } from 'urql';
import type { ContactFieldsFragment } from './generated/graphql.ts';
import { describeError } from './graph.ts';
import { formatRoute } from './route.ts';

interface Props {
  connection:
    | { nodes: readonly ContactFieldsFragment[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
    | undefined;
  openId?: string | undefined;
  error: CombinedError | undefined;
  isBusy: boolean;
  onMore(after: string | null): void;
}

export const formatName = ({ firstName, lastName }: { firstName: string | null; lastName: string | null }): string =>
  `${firstName ?? ''} ${lastName ?? ''}`.trim() || 'Without a name';

export const ContactList = ({ connection, openId, error, isBusy, onMore }: Props) => (
  <>
    <p role="status">{error ? describeError(error) : connection ? `${connection.nodes.length} shown` : 'Loading'}</p>
    <ul className="list" aria-busy={isBusy}>
      {connection?.nodes.map((contact) => (
        <li key={contact.id}>
          <a href={formatRoute('contacts', contact.id)} aria-current={contact.id === openId ? 'true' : undefined}>
            {formatName(contact)}
            <small>{contact.address?.city}</small>
          </a>
        </li>
      ))}
    </ul>
    {connection?.pageInfo.hasNextPage && (
      <button type="button" disabled={isBusy} onClick={() => onMore(connection.pageInfo.endCursor)}>
        Show more
      </button>
    )}
  </>
);
