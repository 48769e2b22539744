import { HEAD } from './head.js';

/** Long paths wrap instead of making the page wider than a phone. */
const STYLE = `
html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .info .title { overflow-wrap: anywhere; }
.swagger-ui .opblock .opblock-summary-path { overflow-wrap: anywhere; word-break: normal; }
.swagger-ui .filter input[type=search] { width: 100%; max-width: 100%; margin: 12px 0; padding: 10px; border: 2px solid #d8dde7; border-radius: 4px; font-size: 16px; }
.swagger-ui .response-col_links { display: none; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 12px; }
  .swagger-ui .scheme-container { padding: 12px 0; }
  .swagger-ui .scheme-container .schemes { flex-wrap: wrap; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; font-size: 18px; }
  .swagger-ui .opblock-tag > a { flex: 1 1 0; }
  .swagger-ui .opblock-tag small { order: 1; flex: 1 1 100%; padding: 4px 0 0; }
  .swagger-ui .opblock .opblock-summary-control { min-width: 0; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; }
  .swagger-ui .opblock .opblock-summary-path-description-wrapper { flex: 1 1 0; flex-direction: column; align-items: flex-start; gap: 2px; min-width: 0; }
  .swagger-ui .opblock-body, .swagger-ui .responses-inner, .swagger-ui .table-container { max-width: 100%; overflow-x: auto; }
  .swagger-ui .parameters-col_name, .swagger-ui .response-col_status { min-width: 0; width: auto; padding-right: 8px; overflow-wrap: anywhere; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { max-width: 100%; min-width: 0; width: 100%; }
  .swagger-ui .dialog-ux .modal-ux { width: calc(100vw - 24px); min-width: 0; max-width: none; }
  .swagger-ui .auth-container input[type=text], .swagger-ui .auth-container input[type=password] { min-width: 0; width: 100%; }
}
`;

/** @param version version of Swagger UI, which is part of the addresses of its files */
export function docsPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
${HEAD}
<link rel="stylesheet" href="/docs/swagger-ui.css?v=${version}">
<style>${STYLE}</style>
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript; the document itself is <a href="/openapi.json">openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js?v=${version}"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}

/**
 * Runs in the browser. The page reads the document for clients, in which keys can be entered and every operation has an
 * example. Swagger UI's own filter searches only names of tags; this one searches all that names an operation.
 */
export const DOCS_SCRIPT = `'use strict';

const wordsOf = (filter) => (typeof filter === 'string' ? filter.toLowerCase().split(/\\s+/).filter(Boolean) : []);

function textOf(tag, listed) {
  const operation = listed.get('operation');
  return [tag, listed.get('method'), listed.get('path'), operation.get('operationId'), operation.get('summary')]
    .join(' ')
    .toLowerCase();
}

const search = ({ React }) => ({
  fn: {
    opsFilter: (tagged, filter) => {
      const words = wordsOf(filter);
      const isFound = (tag) => (listed) => words.every((word) => textOf(tag, listed).includes(word));
      return tagged
        .map((group, tag) => group.update('operations', (operations) => operations.filter(isFound(tag))))
        .filter((group) => group.get('operations').size > 0);
    },
  },
  components: {
    FilterContainer: ({ layoutSelectors, layoutActions }) => {
      const filter = layoutSelectors.currentFilter();
      return React.createElement(
        'div',
        { className: 'filter wrapper' },
        React.createElement('input', {
          type: 'search',
          'aria-label': 'Filter operations',
          placeholder: 'Filter operations: a path, a name, words of the summary',
          value: typeof filter === 'string' ? filter : '',
          onChange: (event) => layoutActions.updateFilter(event.target.value),
        }),
      );
    },
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        // What was found is seen without unfolding its tag.
        isShown: (original, system) => (_state, thing, shownBefore) => {
          const isOfTag = Array.isArray(thing) && thing[0] === 'operations-tag';
          const isFiltered = isOfTag && wordsOf(system.layoutSelectors.currentFilter()).length > 0;
          return original(thing, shownBefore || isFiltered);
        },
      },
    },
  },
});

// An example is filled in where something has to be given that is no id. The rest is told in words: ids are nobody's, and
// what may be left out would narrow the answer without having been asked for.
const isFilledIn = ({ name, required }) => required === true && !/(^|_)id$/.test(name);

function told(parameter) {
  const { example: ofSchema, ...schema } = parameter.schema ?? {};
  const { example = ofSchema, description = '', ...rest } = parameter;
  if (example === undefined || isFilledIn(parameter)) return parameter;
  const shown = [].concat(example).map((value) => '\`' + value + '\`').join(', ');
  return { ...rest, schema, description: description + '\\n\\nExample: ' + shown };
}

const toldAll = (parts = {}) => Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, told(part)]));

function withTold(spec) {
  const { paths = {}, components = {} } = spec;
  const operations = (item) =>
    Object.entries(item).map(([method, operation]) => [
      method,
      { ...operation, parameters: (operation.parameters ?? []).map(told) },
    ]);
  return {
    ...spec,
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, Object.fromEntries(operations(item))])),
    components: { ...components, parameters: toldAll(components.parameters) },
  };
}

const examples = () => ({
  statePlugins: { spec: { wrapActions: { updateJsonSpec: (original) => (spec) => original(withTold(spec)) } } },
});

SwaggerUIBundle({
  url: '/openapi.client.json',
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [search, examples],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: true,
  validatorUrl: null,
});
`;
