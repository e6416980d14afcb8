// The text of a fault or a failure: in the language of the page, or in English and marked so.
import { Fragment } from 'preact';
import type { ApiProblem } from './api.ts';
import { useTexts } from './texts.ts';

export const FaultText = ({ message }: { message: string }) =>
  useTexts().explain(message) ?? <span lang="en">{message}</span>;

/** Why a request failed, and when it is sent again if the page does so by itself. */
export const ProblemText = ({ problem, isRepeated = false }: { problem: ApiProblem; isRepeated?: boolean }) => {
  const t = useTexts();
  const { code, message, faults, retryAfter } = problem;
  if (isRepeated && retryAfter !== undefined)
    return (code === 'rate-limited' ? t.waiting : t.busy)(Math.max(1, Math.ceil(retryAfter)));
  if (code === 'unreachable') return t.unreachable;
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
