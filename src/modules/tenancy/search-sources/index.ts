export { MOST_EXCERPT, excerptOf, type HitScore, scoreOf, MAX_SCORE, type SearchField } from './search-score.js';
export { RowSearch, type RowSearchSql } from './row-search.reader.js';
export { searchHit, type SearchHit, type Search, SearchSource, type SearchTime } from './search-source.js';
export { searchSql } from './search-sql.js';
export { SAVED_VIEW_KINDS, type SavedViewKind, SEARCH_TYPES, type SearchType } from './search-types.js';
export { MOST_WORDS, readWords, type SearchWords } from './search-words.js';
