// The text of a fault, of several or of a failure: in the language of the page, or in English and marked so.
import { Fragment } from 'preact';
import type { ApiProblem } from './api.ts';
import type { Kind } from './model.ts';
import { useTexts } from './texts.ts';

export const FaultText = ({ message }: { message: string }) =>
  useTexts().explain(message) ?? <span lang="en">{message}</span>;

/** A list of faults, each once. The fields of a faulty part name its id as their description. */
export const Faults = ({ id, faults, kind }: { id?: string; faults: string[] | undefined; kind?: Kind }) => {
  const t = useTexts();
  // The graph has amounts in whole cents, and coordinates one by one, and says so; here they are typed in euros, and together.
  const isTypedOtherwise = (fault: string): boolean =>
    (kind === 'CENTS' && fault.startsWith('must be a whole number')) ||
    (kind === 'CIRCLE' && fault === 'must be a number');
  return faults?.length ? (
    <ul class="faults" id={id}>
      {[...new Set(faults)].map((fault) => (
        <li key={fault}>{isTypedOtherwise(fault) ? t.hints[kind!] : <FaultText message={fault} />}</li>
      ))}
    </ul>
  ) : null;
};

/** Why a request failed, and when it is sent again if the page does so by itself. */
export const ProblemText = ({ problem, isRepeated = false }: { problem: ApiProblem; isRepeated?: boolean }) => {
  const t = useTexts();
  const { code, message, faults, retryAfter } = problem;
  if (isRepeated && retryAfter !== undefined)
    return (code === 'rate-limited' ? t.waiting : t.busy)(Math.max(1, Math.ceil(retryAfter)));
  if (code === 'unreachable') return t.unreachable;
  if (code === 'unauthenticated') return t.tokenRefused;
  const messages = faults.length > 0 ? faults.map((fault) => fault.message) : [message];
  return (
    <>
      {t.failed}
      {messages.map((one, index) => (
        <Fragment key={one}>
          {index > 0 && ' '}
          <FaultText message={one} />
        </Fragment>
      ))}
    </>
  );
};
