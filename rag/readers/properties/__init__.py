"""What documents say of themselves beside their text: who wrote them, when, and what they are about."""
