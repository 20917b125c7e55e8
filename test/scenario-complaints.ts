/** Fails every test whose scenarios broke a promise or had an operator problem that the test does not expect. */
import { afterEach } from "vitest";
import { assertNoComplaints } from "./builders/complaints.ts";

afterEach(assertNoComplaints);
