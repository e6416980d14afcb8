// Compiles one condition, by the source of its attribute.
import { compileAnswerCondition } from './answer-conditions.ts';
import { getAskedFamily, getAttribute } from './attributes.ts';
import {
  compileActionCondition,
  compileIdentityCondition,
  compileNameCondition,
  compileRowCondition,
  compileTableCondition,
} from './contact-conditions.ts';
import type { RowsTest } from './join-strategy.ts';
import type { Condition } from './parse.ts';
import { compilePlaceCondition } from './place-conditions.ts';
import type { Binder } from './predicates.ts';
import {
  compileCampaignCondition,
  compileConsentCondition,
  compileEventCondition,
  compileOptOutCondition,
  compileRecordCondition,
  compileSeveralCondition,
  compileSumCondition,
  compileTogetherCondition,
} from './record-conditions.ts';

/**
 * A condition on `s`, on rows of another table, or on `e`, the row of what became of the contact's e-mails; with the lookup of the campaigns that it
 * asks for.
 */
export type Compiled = ({ sql: string } | { rows: RowsTest } | { emailSql: string }) & { campaigns?: string };

/** Computed once for a statement, even by a generic plan, which would compute it for each row. */
const computeOnce = (sql: string): string => `(select ${sql})`;

export const compileCondition = (condition: Condition, binder: Binder): Compiled => {
  const { source, kind } = getAttribute(condition.attribute);
  const { operator, operand } = condition;
  const family = getAskedFamily(condition.attribute);
  if (family && (source.of !== 'row' || condition.record)) return compileTogetherCondition(family, condition, binder);
  if ('identifies' in source && source.identifies && operand.given)
    return { sql: compileIdentityCondition(kind, source.identifies, operator, operand, binder) };
  switch (source.of) {
    case 'row':
      if (source.sums && operand.currency) return { sql: compileSumCondition(source.sums, operator, operand, binder) };
      return {
        sql: compileRowCondition(
          kind,
          source,
          operator,
          operand,
          binder.join === 'probe' ? { ...binder, constant: computeOnce } : binder,
        ),
      };
    case 'contact':
    case 'address':
      return { rows: compileTableCondition(kind, source, operator, operand, binder) };
    case 'place':
      return compilePlaceCondition(operator, operand, binder);
    case 'tags':
      return { sql: compileNameCondition('tag', operator, operand, binder) };
    case 'actionNames':
      return { sql: compileNameCondition('action', operator, operand, binder) };
    case 'actions':
      return { sql: compileActionCondition(operator, operand, binder) };
    case 'record':
      return compileRecordCondition(kind, source, operator, operand, binder);
    case 'event':
      return compileEventCondition(source, operator, operand, binder);
    case 'campaign':
      return compileCampaignCondition(kind, source, operator, operand, binder);
    case 'several':
      return { sql: compileSeveralCondition(kind, source, operand, binder) };
    case 'answers':
      return { sql: compileAnswerCondition(source, condition, binder) };
    case 'optOut':
      return { sql: compileOptOutCondition(operator, operand, binder) };
    case 'consents':
      return { sql: compileConsentCondition(condition, binder) };
    case 'records':
    case 'count':
    case 'segment':
      throw new Error(`${condition.location}: ${source.of} is compiled elsewhere`);
  }
};
