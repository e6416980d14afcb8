// Writes forms and their reference values.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { createInvalidProblem, createNotFoundProblem, type Fault, Problem } from '../../problem.ts';
import { bumpVersionsShowing } from '../noun/lock-contacts.ts';
import { requireKnownReferences } from '../noun/references.ts';
import { type FormKind, type FormRefRow, type FormRow, type FormType, formColumns, readRefsOfForms } from './form.ts';

/** A reference value of the input. It is new without an id. */
export interface RefContent {
  id?: number | null;
  label: string;
  /** For a choice: defaults to the label of a new value; a stored one stays. */
  value?: string | null;
}

/** Whether forms of this type take free input instead of one of their reference values. */
export const isFreeInput = (type: FormType): boolean => ['text', 'numeric', 'date'].includes(type);

const twice = (refs: readonly RefContent[], field: 'id' | 'label' | 'value', message: string): RefFault[] => {
  const seen = new Set<unknown>();
  return refs.flatMap((ref, index) => {
    const said = ref[field];
    if (said == null || seen.size < seen.add(said).size) return [];
    return [{ path: [index, field], message }];
  });
};

/** A fault of a list of reference values, at a path in it. */
interface RefFault {
  path: (string | number)[];
  message: string;
}

/** The faults of the reference values of a form of this type. */
export const findFormRefFaults = (type: FormType, refs: readonly RefContent[]): RefFault[] => {
  if (isFreeInput(type)) {
    const valued = refs.flatMap(({ value }, index) =>
      value == null ? [] : [{ path: [index, 'value'], message: `must be left out: an answer of type ${type} is free` }],
    );
    return refs.length === 1
      ? valued
      : [{ path: [], message: `must be one value: an answer of type ${type} is free` }, ...valued];
  }
  if (refs.length === 0) return [{ path: [], message: `must not be empty: an answer of type ${type} is one of them` }];
  return [
    ...twice(refs, 'label', 'is the label of another value of the form'),
    ...twice(
      refs.map((ref) => ({ ...ref, value: ref.value ?? ref.label })),
      'value',
      'is the value of another one of the form',
    ),
  ];
};

const create = defineStatement(
  'form.create',
  `insert into forms (group_id, label, kind, type) values (:group, :label, :kind, :type) returning ${formColumns}`,
);
const lock = defineStatement(
  'form.lock',
  `select ${formColumns} from forms where group_id = :group and id = :id and deleted_at is null for no key update`,
);
const relabel = defineStatement(
  'form.relabel',
  `update forms set label = coalesce(cast(:label as text), label), updated_at = now()
    where group_id = :group and id = :id returning ${formColumns}`,
);
/** Reference values that were answered stay. */
const removeRefs = defineStatement(
  'form.remove_refs',
  `delete from form_refs r where r.group_id = :group and r.form_id = :id and r.id <> all (cast(:ids as bigint[]))
      and not exists (select 1 from answers a where a.group_id = :group and a.form_id = r.form_id and a.form_ref_id = r.id)
   returning r.id`,
);
/** An answer that is written meanwhile refers to its value, and waits. */
const lockRefs = defineStatement(
  'form.lock_refs',
  'select id from form_refs where group_id = :group and form_id = :id and id = any(:ids) order by id for update',
);
const answeredRefs = defineStatement(
  'form.answered_refs',
  `select r.id from unnest(cast(:ids as bigint[])) r (id)
    where exists (select 1 from answers a where a.group_id = :group and a.form_id = :id and a.form_ref_id = r.id)`,
);
const writeRefs = defineStatement(
  'form.write_refs',
  `with given as (
     select * from rows from (jsonb_to_recordset(cast(:refs as jsonb)) as (id bigint, label text, value text))
       with ordinality as g (id, label, value, nth)),
   changed as (
     update form_refs r set label = g.label, value = g.value, position = g.nth - 1, updated_at = now()
       from given g where r.group_id = :group and r.form_id = :id and r.id = g.id)
   insert into form_refs (group_id, form_id, label, value, position)
   select :group, :id, g.label, g.value, g.nth - 1 from given g where g.id is null order by g.nth`,
);
const remove = defineStatement(
  'form.delete',
  `update forms set deleted_at = now(), updated_at = now() where group_id = :group and id = :id and deleted_at is null returning id`,
);

const labelTaken =
  (label: string | undefined) =>
  (error: unknown): never => {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error;
    throw new Problem('conflict', 'There is a form of this label and kind', {
      errors: [{ location: 'input.label', message: 'is the label of another form of its kind', value: label }],
    });
  };

/**
 * Creates a form with its reference values, which are validated already; a form of free input needs none. Throws 409 when there is a form
 * of this kind and label.
 */
export const createForm = (
  space: Space,
  { refs, ...form }: { label: string; kind: FormKind; type: FormType; refs: readonly RefContent[] },
): Promise<FormRow> => {
  const whole = isFreeInput(form.type) && refs.length === 0 ? [{ label: form.label }] : refs;
  const rows = whole.map(({ label, value }) => ({ label, value: isFreeInput(form.type) ? null : (value ?? label) }));
  return space.transaction(async (tx) => {
    const created = (await tx.row<FormRow>(create, form).catch(labelTaken(form.label)))!;
    await tx.rows(writeRefs, { id: created.id, refs: JSON.stringify(rows) });
    return created;
  });
};

/** 409 with the reference values that are left out although they were answered. */
const answered = (refs: readonly FormRefRow[]): Problem =>
  new Problem('conflict', 'Reference values that were answered must stay', {
    errors: refs.map(({ id, label }) => ({
      location: 'input.options',
      message: `leaves out ${id} (${label}), which was answered`,
    })),
  });

/** The next reference values, and what they change: of the form, and of what contacts with answers show. */
interface Replacement {
  rows: { id?: number | null; label: string; value: string | null }[];
  present: FormRefRow[];
  changes: boolean;
  shows: boolean;
}

/** Throws 409 for changed values that were answered: the answers have the value, and searches ask for it. */
const refuseAnsweredValues = async (tx: Space, id: number, { rows, present }: Replacement): Promise<void> => {
  const known = new Map(present.map((ref) => [ref.id, ref.value ?? ref.label]));
  const changed = rows.filter((row) => row.id != null && row.value !== null && row.value !== known.get(row.id));
  if (changed.length === 0) return;
  const ids = changed.map((row) => row.id!);
  await tx.rows(lockRefs, { id, ids });
  const answeredIds = (await tx.rows<{ id: number }>(answeredRefs, { id, ids })).map((ref) => ref.id);
  if (answeredIds.length === 0) return;
  throw new Problem('conflict', 'The values of options that were answered must stay', {
    errors: rows.flatMap((row, index) =>
      answeredIds.includes(row.id ?? -1)
        ? [
            {
              location: `input.options[${index}].value`,
              message: `must stay ${known.get(row.id!)}, which was answered: change its label, or add another option`,
              value: row.value,
            },
          ]
        : [],
    ),
  });
};

const checkRefs = async (tx: Space, { id, type }: FormRow, refs: readonly RefContent[]): Promise<Replacement> => {
  const present = await readRefsOfForms(tx, [id]);
  const known = new Map(present.map((ref) => [ref.id, ref]));
  const named = refs.flatMap((ref, index) =>
    ref.id == null ? [] : [{ id: ref.id, location: `input.options[${index}].id` }],
  );
  requireKnownReferences('reference value', named, known.keys());
  // A value that is not sent stays. This comes before the rules, which apply to the result.
  const findValue = ({ id: ref }: RefContent): string | null => {
    const { value = null, label = null } = known.get(ref ?? -1) ?? {};
    return value ?? (isFreeInput(type) ? null : label);
  };
  const whole = refs.map((ref) => ({ ...ref, value: ref.value ?? findValue(ref) }));
  const faults = [...twice(refs, 'id', 'is there twice'), ...findFormRefFaults(type, whole)];
  if (faults.length > 0) throw createInvalidProblem(faults.map((fault) => located(fault, refs)));
  const rows = whole.map((ref) => ({ ...ref, value: isFreeInput(type) ? null : (ref.value ?? ref.label) }));
  const same = (row: RefContent, ref: FormRefRow | undefined): boolean =>
    row.id === ref?.id && row.label === ref?.label && row.value === ref?.value;
  return {
    rows,
    present,
    changes: rows.length !== present.length || rows.some((row, index) => !same(row, present[index])),
    shows: rows.some((row) => row.id != null && !same(row, known.get(row.id))),
  };
};

const replaceRefs = async (tx: Space, id: number, { rows, present }: Replacement): Promise<void> => {
  const ids = rows.flatMap((row) => row.id ?? []);
  const gone = new Set(
    (
      await tx.rows<{ id: number }>(removeRefs, { id, ids }).catch((error) => {
        // They were answered since this statement began.
        throw error instanceof Problem && error.code === 'unprocessable' ? answered([]) : error;
      })
    ).map((ref) => ref.id),
  );
  const stuck = present.filter((ref) => !ids.includes(ref.id) && !gone.has(ref.id));
  if (stuck.length > 0) throw answered(stuck);
  await tx.rows(writeRefs, { id, refs: JSON.stringify(rows) });
};

const located = ({ path, message }: RefFault, refs: readonly RefContent[]): Fault => {
  const [index, field] = path as [] | [number, keyof RefContent];
  if (index === undefined || field === undefined) return { location: 'input.options', message };
  return { location: `input.options[${index}].${field}`, message, value: refs[index]![field] };
};

/**
 * Updates the label and the reference values: those with an id are updated, those without are created, those left out are deleted. Throws
 * 404 when the form is missing, 400 for values that do not suit its type, 422 for ids of other forms' values, and 409 when another form has
 * the label, or a value that is left out or changed was answered. Contacts with answers are marked when labels or values change: exports show them.
 */
export const updateForm = (
  space: Space,
  id: number,
  { label, refs }: { label?: string; refs?: readonly RefContent[] },
): Promise<FormRow> =>
  space.transaction(async (tx) => {
    const form = await tx.row<FormRow>(lock, { id });
    if (!form) throw createNotFoundProblem('form', id);
    const replacement = refs && (await checkRefs(tx, form, refs));
    const renamed = label !== undefined && label !== form.label;
    if (!renamed && !replacement?.changes) return form;
    if (replacement) await refuseAnsweredValues(tx, id, replacement);
    if (renamed || replacement?.shows) await bumpVersionsShowing(tx, 'form', id);
    if (replacement?.changes) await replaceRefs(tx, id, replacement);
    return (await tx.row<FormRow>(relabel, { id, label: label ?? null }).catch(labelTaken(label)))!;
  });

/** Soft-deletes a form: its answers are no longer shown or found, and their contacts are marked. Throws 404 when it is missing. */
export const deleteForm = (space: Space, id: number): Promise<number> =>
  space.transaction(async (tx) => {
    if (!(await tx.row(lock, { id }))) throw createNotFoundProblem('form', id);
    await bumpVersionsShowing(tx, 'form', id);
    await tx.rows(remove, { id });
    return id;
  });
