import { story } from '../../../support/story.js';

/** The chapters of the day follow one another. */
export const it = story();
