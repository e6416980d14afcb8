// Templates of mailings.
import { recordOfSpace } from './record/crud.ts';

export interface TemplateRow {
  id: number;
  group_id: number;
  name: string;
  created_at: string;
  updated_at: string;
}

export const templates = recordOfSpace<TemplateRow>({
  table: 'templates',
  noun: 'template',
  columns: { name: {} },
});
