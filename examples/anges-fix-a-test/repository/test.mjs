import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from './slug.mjs';

void test('joins words by hyphens', () => assert.equal(slug('Green Tea'), 'green-tea'));
void test('begins and ends with a word', () => assert.equal(slug(' «Green Tea» '), 'green-tea'));
