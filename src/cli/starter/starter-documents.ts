import type { StarterFile } from './starter-file.ts';

/** Two small documents to search. */
export const starterDocuments: readonly StarterFile[] = [
  {
    file: 'docs/watering.md',
    text: `# Watering

## Tomatoes

Water tomatoes deeply two or three times a week, early in the morning, and at the root.
One deep watering is better than a little every day: roots follow the water down.

Wet leaves invite blight, so keep the leaves dry. Tomatoes in pots need water every day in summer.

## Signs of too much water

Yellow lower leaves and soil that is still wet in the evening mean too much water. Wait until the top
three centimetres are dry before the next watering.
`,
  },
  {
    file: 'docs/soil.md',
    text: `# Soil

## What vegetables need

Most vegetables like loose soil with a lot of compost and a pH between 6 and 7.
Mix a bucket of compost into each square metre in spring.

## Mulch

A layer of straw keeps the water in the soil: mulched tomatoes need about a third less water.
Keep the mulch a hand's width away from the stems.
`,
  },
];
