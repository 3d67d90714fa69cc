package scoville.benchmark;

/** A singly linked list in ascending order, without a stored length. */
final class SortedList {
    private static final class Node {
        final long value;
        Node next;

        Node(long value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    /** Stands before the first element, and is none. */
    private final Node head = new Node(Long.MIN_VALUE, null);

    /** Puts a value behind all elements that are not greater. */
    void insert(long value) {
        Node before = head;
        while (before.next != null && before.next.value <= value) {
            before = before.next;
        }
        before.next = new Node(value, before.next);
    }

    /** Looks at every element until it finds the value: that the list is sorted must not help it. */
    boolean contains(long value) {
        for (Node node = head.next; node != null; node = node.next) {
            if (node.value == value) {
                return true;
            }
        }
        return false;
    }

    /** Counts the elements. */
    long size() {
        long size = 0;
        for (Node node = head.next; node != null; node = node.next) {
            size++;
        }
        return size;
    }

    /** The sum of all elements, each times its position from 1. */
    long weightedSum() {
        long sum = 0;
        long position = 1;
        for (Node node = head.next; node != null; node = node.next) {
            sum += position * node.value;
            position++;
        }
        return sum;
    }
}
