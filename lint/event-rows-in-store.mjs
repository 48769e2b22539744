import { EVENT_COUNTERS, EVENT_ROWS } from './event-tables.mjs';
import { tablesNamed, withoutComments } from './sql.mjs';
import { NOBODYS_TABLES, PARENTS, TENANT_TABLES } from './tenant-tables.mjs';
import { textOf } from './template-text.mjs';

const STORE = /(?:^|[\\/])src[\\/]modules[\\/]events[\\/]event-store[\\/]/;

const TABLE = String.raw`"?(?:${EVENT_ROWS.join('|')}|events_(?:cold_)?\d{4}_\d{2})\b(?!\s*\()"?`;
/** Matches parts of statements too, because a condition may contain a subquery on events. */
const NAMED = new RegExp(
  String.raw`\b(?:FROM|JOIN|INTO|UPDATE|USING|TABLE|ONLY)\s+(?:ONLY\s+|LATERAL\s+)?${TABLE}|'(?:events|events_default)'::regclass`,
);

const ROWS = new Set(EVENT_ROWS);
const EVENTS = new Set([...EVENT_ROWS, ...EVENT_COUNTERS]);
const OTHERS = new Set(
  [...Object.keys(TENANT_TABLES), ...Object.keys(PARENTS), ...NOBODYS_TABLES].filter((table) => !EVENTS.has(table)),
);

/**
 * Event rows may be in another database than all other tables. One module therefore has every statement over event
 * rows, and none of these statements joins events with tables of other modules.
 */
export const eventRowsInStore = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      elsewhere:
        'Statements over event rows stand in modules/events/event-store: have a reader there, in the folder of its kind of question.',
      joined:
        'This statement names {{tables}} beside events, which may lie in another database: ask for them by a statement of their own.',
    },
  },
  create(context) {
    const isStore = STORE.test(context.filename);
    const check = (node) => {
      if (node.parent.type === 'ImportDeclaration') return;
      const text = withoutComments(textOf(node, context.sourceCode));
      const tables = tablesNamed(text);
      if (!isStore) {
        if (NAMED.test(text) || tables.some((table) => ROWS.has(table)))
          context.report({ node, messageId: 'elsewhere' });
        return;
      }
      const others = [...new Set(tables.filter((table) => OTHERS.has(table)))];
      if (others.length > 0 && tables.some((table) => EVENTS.has(table))) {
        context.report({ node, messageId: 'joined', data: { tables: others.join(', ') } });
      }
    };
    return { TemplateLiteral: check, 'Literal[raw=/^[\'"]/]': check };
  },
};
