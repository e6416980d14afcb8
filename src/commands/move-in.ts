// muster move-in: the arguments and help of moving in from another server, or from a folder of its exports.
import { Command, InvalidArgumentError, Option } from 'commander';
import { dayOrders } from '../import/days.ts';
import { parseId, parseWholeNumber } from './arguments.ts';
import { readColumnMap, readEncodingName } from './import-arguments.ts';
import { type MoveCommandOptions, runMove } from './move-in-run.ts';

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** The address of a server: its path stays, a version at its end does not, since only some routes have one. */
const parseAddress = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw new InvalidArgumentError('must be the address of the server, such as https://api.example.org');
  if (url.username || url.password || url.search || url.hash)
    throw new InvalidArgumentError('must have no user, password, query or fragment: the token has its own option');
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
  return url;
};

const help = `
Without --from it reads a folder: contacts.csv, and forms.csv, tags.csv and notes.csv where they exist, each also with .gz.

The token is read from --token-file, or from SOURCE_TOKEN. With --token every user of this machine can see it in the list of processes.

Run it again at any time. An interrupted run continues. A finished one is followed by one that writes what has changed in the source,
and keeps what was changed here. The exit code is 1 when records were rejected, or when contacts may be missing because the source
changed while it was read. See docs/moving.md.`;

export const createCommand = (): Command =>
  new Command('move-in')
    .argument('[folder]', 'a folder of CSV files, instead of --from')
    .description('Move in from a server that speaks the REST contract, or from a folder of its CSV exports.')
    .requiredOption('--space <id>', 'the space to fill', parseId)
    .option('--user <id>', 'record this user as the author of the changes', parseId)
    .option('--from <url>', 'the server, such as https://api.example.org', parseAddress)
    .option('--token-file <file>', 'a file with the access token of the server')
    .option('--token <token>', 'the access token of the server (better: --token-file, or SOURCE_TOKEN)')
    .option('--plain-http', 'send the token unencrypted to a server that has no https')
    .option(
      '--page <contacts>',
      'contacts in a request and in a transaction, 1 to 1000',
      parseWholeNumber(1, 1000),
      500,
    )
    .option('--no-interactions', 'leave out interactions with contacts')
    .option(
      '--details',
      'also read each contact by its id, for fields that the search of some servers lacks; one request for each',
    )
    .option('--overwrite', 'write what the source says also over contacts that were changed here')
    .option('--delete', 'delete contacts here that the source has deleted')
    .option('--restart', 'begin again, also when a run was interrupted')
    .option('--dry-run', 'read everything, and tell what would be written and deleted; nothing is kept')
    .option('--rejects <file>', 'write rejected and incomplete records, with the reasons, to this new file, as NDJSON')
    .option('--encoding <encoding>', 'of the files: utf-8, windows-1252, or utf-16', readEncodingName, 'utf-8')
    .addOption(
      new Option('--days <order>', 'order of day, month and year in dates of the files such as 01/02/2003')
        .choices(dayOrders)
        .default('ymd'),
    )
    .option(
      '--map <pairs>',
      'meaning of the columns of contacts.csv: Nom=surname,CP=address_postalcode; or JSON',
      readColumnMap,
    )
    .addHelpText('after', help)
    .action((folder: string | undefined, options: MoveCommandOptions, command: Command) => {
      const { from, plainHttp, token, tokenFile } = options;
      if ((folder === undefined) === (from === undefined))
        command.error('error: name either a folder or a server, with --from');
      if (token !== undefined && tokenFile !== undefined) command.error('error: name either --token or --token-file');
      if (from?.protocol === 'http:' && !isLoopback(from.hostname) && !plainHttp)
        command.error(
          `error: ${from.origin} would get the token unencrypted: use https, or allow it with --plain-http in a network that you trust`,
        );
      return runMove(folder, options);
    });
