import { EnumField, ListField, nested, TextField } from '../../../../platform/http/fields/index.js';
import { SOURCE_TYPES, type SourceType } from '../event-source.entity.js';
import { CATALOG, SNIPPET_LANGUAGES, type SnippetLanguage, SNIPPETS } from './source-catalog.js';

export class SnippetResponse {
  @EnumField(SNIPPET_LANGUAGES, {})
  language!: SnippetLanguage;

  @TextField({})
  title!: string;

  @TextField({ description: 'Reads the address and the key from SERVICE_URL and API_KEY, or has {PLACES} for them' })
  code!: string;
}

export class CatalogEntryResponse {
  @EnumField(SOURCE_TYPES, {})
  type!: SourceType;

  @TextField({})
  name!: string;

  @TextField({})
  description!: string;

  @ListField(nested(() => SnippetResponse), {})
  snippets!: SnippetResponse[];
}

export function catalogResponse(): CatalogEntryResponse[] {
  return CATALOG.map(({ type, name, description, languages }) => ({
    type,
    name,
    description,
    snippets: languages.map((language) => ({ language, ...SNIPPETS[language] })),
  }));
}
