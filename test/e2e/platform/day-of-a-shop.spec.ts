import { afterAll, beforeAll, describe } from '@jest/globals';
import { openShop, type Shop } from '../../support/shop/shop.js';
import { alerting } from './day-of-a-shop/alerting.js';
import { closing } from './day-of-a-shop/closing.js';
import { delivery } from './day-of-a-shop/delivery.js';
import { people } from './day-of-a-shop/people.js';
import { questions } from './day-of-a-shop/questions.js';
import { sources } from './day-of-a-shop/sources.js';
import { storage } from './day-of-a-shop/storage.js';
import { trade } from './day-of-a-shop/trade.js';
import { watch } from './day-of-a-shop/watch.js';

/**
 * The whole service over HTTP as one who uses it sees it, with data as a web shop has it. The examples of the document are
 * taken from it before any other test, so what it sends and asks is written to be read.
 */
describe('the day of a web shop', () => {
  let opened: Shop;
  const shop = (): Shop => opened;

  beforeAll(async () => {
    opened = await openShop();
  });
  afterAll(() => opened.close());

  describe('its people and projects', () => people(shop));
  describe('its sources', () => sources(shop));
  describe('its trade', () => trade(shop));
  describe('its questions', () => questions(shop));
  describe('its files and secrets', () => storage(shop));
  describe('its alerts', () => alerting(shop));
  describe('its deliveries', () => delivery(shop));
  describe('its watch', () => watch(shop));
  describe('its closing', () => closing(shop));
});
