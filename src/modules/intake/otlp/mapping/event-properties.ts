import { setMember } from '../../core/index.js';
import type { AttributeList, Attributes, OtlpValue } from '../records.js';

/** The property that holds attributes whose names the event uses for its own fields or properties. */
const DISPLACED = 'attributes';
export const DROPPED = 'dropped_attributes_count';

/** The properties of an event: the attributes of a record, and the properties that the mapping adds. */
export class EventProperties {
  private readonly properties: Attributes;
  private displaced: Attributes | undefined;

  constructor(private readonly list: AttributeList) {
    this.properties = list.attributes;
  }

  /** Adds a property. Undefined and empty values are left out. An attribute of the same name is displaced. */
  add(name: string, value: OtlpValue | undefined): this {
    if (value === undefined || value === '') return this;
    if (this.list.count > 0 && Object.hasOwn(this.properties, name) && this.properties[name] !== value) {
      this.displace(name);
    }
    this.properties[name] = value;
    return this;
  }

  /** Returns the text for a field of the event. An attribute with the name of the field is displaced. */
  field<Text extends string | undefined>(name: string, text: Text): Text {
    if (text !== undefined && this.list.count > 0 && Object.hasOwn(this.properties, name)) this.displace(name);
    return text;
  }

  /** Returns the properties with the displaced attributes in the property `attributes`. */
  toPayload(): Attributes {
    if (this.list.dropped > 0) this.properties[DROPPED] = this.list.dropped;
    if (this.displaced !== undefined) this.properties[DISPLACED] = this.displaced;
    return this.properties;
  }

  private displace(name: string): void {
    this.displaced ??= {};
    setMember(this.displaced, name, this.properties[name]);
  }
}
