import { addAskingTools } from './fixture-asking.ts';
import { createEmptyFixture, type Fixture } from './fixture-behind.ts';
import { addItems } from './fixture-items.ts';
import { addTools } from './fixture-tools.ts';

/** The server every scenario talks to: one of everything. */
export function createFixture(): Fixture {
  const fixture = createEmptyFixture();
  addTools(fixture);
  addAskingTools(fixture);
  addItems(fixture);
  return fixture;
}
