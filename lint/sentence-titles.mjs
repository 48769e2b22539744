const TESTS = new Set(['it', 'test', 'itOfPostgres']);
const GROUPS = new Set(['describe', 'describeOfPostgres']);
const FEWEST_WORDS = 3;

/** Words in -s that are no verbs. */
const NO_VERBS = new Set(
  [
    'across',
    'always',
    'as',
    'besides',
    'its',
    'less',
    'others',
    'perhaps',
    'plus',
    'sometimes',
    'this',
    'thus',
    'unless',
  ].concat(['us', 'various', 'was', 'whereas', 'yes']),
);
/** Verbs of a plural subject, and helping verbs. */
const OTHER_VERBS = new Set(['are', 'can', 'cannot', 'do', 'have', 'may', 'must', 'never', 'no', 'only', 'still']);
/** A noun phrase does not begin with one of these. */
const NO_NOUNS = new Set(
  [
    'after',
    'as',
    'at',
    'before',
    'by',
    'for',
    'from',
    'if',
    'in',
    'is',
    'of',
    'on',
    'that',
    'to',
    'when',
    'where',
    'while',
  ].concat(['with', 'without']),
);

/**
 * A test that fails is known by its title alone. The group names the subject, as a noun, and the test says what the subject
 * does: `describe('A session')` and `it('returns 401 when it has expired')`. Titles of `each` tell the cases apart.
 */
export const sentenceTitles = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      verb: 'Begin the title with a verb whose subject is the group: "returns 409 when the name is in use".',
      short: 'Write a sentence of at least three words.',
      noun: 'Name the subject of the tests with a noun: "A saved view".',
      cases: 'Put the values of the case into the title: "returns 422 for the limit %j".',
    },
  },
  create: (context) => ({
    CallExpression(node) {
      const { name, isEach } = calledAs(node);
      const [title] = node.arguments;
      const text = textOf(title);
      if (text === undefined) return;
      if (TESTS.has(name)) checkTest(context, title, text, isEach);
      else if (GROUPS.has(name)) checkGroup(context, title, text);
    },
  }),
};

function checkTest(context, node, text, isEach) {
  const words = text.trim().split(/\s+/);
  if (words.length < FEWEST_WORDS) context.report({ node, messageId: 'short' });
  else if (!isVerb(words[0])) context.report({ node, messageId: 'verb' });
  if (isEach && !/[%$]/.test(text)) context.report({ node, messageId: 'cases' });
}

function checkGroup(context, node, text) {
  const [first] = text.trim().split(/\s+/);
  if (NO_NOUNS.has(first.toLowerCase())) context.report({ node, messageId: 'noun' });
}

function isVerb(word) {
  return OTHER_VERBS.has(word) || (/^[a-z-]+s$/.test(word) && !NO_VERBS.has(word));
}

/** `it(…)`, `it.skip(…)`, `it.each(cases)(…)` and `it.each<T>(cases)(…)`. */
function calledAs({ callee }) {
  let isEach = false;
  let called = callee;
  if (called.type === 'CallExpression' || called.type === 'TaggedTemplateExpression') {
    called = called.callee ?? called.tag;
    isEach = called.type === 'MemberExpression' && called.property.name === 'each';
  }
  while (called.type === 'MemberExpression') called = called.object;
  return { name: called.type === 'Identifier' ? called.name : '', isEach };
}

/** A template counts as its text, with `%` for each value. */
function textOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('%');
  return undefined;
}
