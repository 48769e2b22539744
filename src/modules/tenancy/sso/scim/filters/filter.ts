/** The operators of RFC 7644, section 3.4.2.2, except `pr`, which takes no value. */
export const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export type FilterValue = string | number | boolean | null;

/**
 * An attribute and its sub-attribute, if any. Names are in lower case, because they are compared without regard to
 * case.
 */
export interface AttributePath {
  readonly attribute: string;
  readonly sub: string | null;
}

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | {
      readonly kind: 'compare';
      readonly path: AttributePath;
      readonly operator: Comparison;
      readonly value: FilterValue;
    }
  | { readonly kind: 'present'; readonly path: AttributePath }
  /** At least one element of a multi-valued attribute matches the whole filter. */
  | { readonly kind: 'element'; readonly attribute: string; readonly part: Filter };
